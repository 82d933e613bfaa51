// Exit codes of every command: the one table. docs/cli.md prints it; host/test holds the two together.

/** What an exit code means. The number is the contract, the name is for code. */
export const EXIT_CODES = {
  done: { code: 0, meaning: "done" },
  bug: { code: 1, meaning: "a defect of offleaf itself" },
  usage: { code: 2, meaning: "the command line is wrong" },
  toolMissing: { code: 3, meaning: "a tool or a built file is missing" },
  notFound: { code: 4, meaning: "the device, its port or its flash file cannot be used" },
  linkFailed: { code: 5, meaning: "the link to the device or to the phone failed" },
  refused: { code: 6, meaning: "the device refused" },
  mismatch: { code: 7, meaning: "what was verified differs from what it should be" },
  overBudget: { code: 8, meaning: "over a size or speed budget" },
  checkFailed: { code: 9, meaning: "a check failed" },
} as const;

export type ExitName = keyof typeof EXIT_CODES;
