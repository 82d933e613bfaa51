import tseslint from "typescript-eslint";

export default tseslint.config(
  { ignores: ["build/**", "**/node_modules/**", "interop/src/abi.ts", "assembly/runtime/status.ts"] },
  {
    files: ["**/*.ts"],
    extends: [tseslint.configs.strict],
    rules: {
      "@typescript-eslint/no-non-null-assertion": "off",
      "@typescript-eslint/no-unused-vars": [
        "error",
        { argsIgnorePattern: "^_", varsIgnorePattern: "^_", destructuredArrayIgnorePattern: "^_" },
      ],
      "no-console": "off",
      eqeqeq: "error",
    },
  },
  {
    // AssemblyScript: decorators on functions are not TypeScript, and `==` is the right comparison of integers.
    files: ["assembly/**/*.ts"],
    ignores: ["assembly/tests/**"],
    languageOptions: { parserOptions: { allowInvalidAST: true } },
    rules: {
      eqeqeq: "off",
      "@typescript-eslint/ban-ts-comment": "off",
      "@typescript-eslint/no-unused-vars": "off",
      "@typescript-eslint/no-extraneous-class": "off",
      "prefer-const": "error",
    },
  },
);
