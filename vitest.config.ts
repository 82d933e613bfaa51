import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: [
      "assembly/tests/**/*.test.ts",
      "host/test/**/*.test.ts",
      "footprint/test/**/*.test.ts",
      "interop/test/**/*.test.ts",
    ],
    globalSetup: ["assembly/tests/setup.ts"],
    testTimeout: 60_000,
  },
});
