// What one family of test vectors offers to the runner.

/** Verdict on one case. A skip needs a reason that the design knows. */
export interface CaseResult {
  name: string;
  ok: boolean;
  /** Why it failed, or why it was skipped. */
  reason?: string;
  skipped?: boolean;
}

/** A family: which files it understands, and how it runs one. */
export interface Family {
  /** Shown in the report, for instance `wycheproof/ed25519`. */
  name: string;
  /** Path relative to the vector folder, with `/`, for instance `wycheproof/ed25519_test.json`. */
  matches(path: string): boolean;
  /** Runs every case of the parsed file. */
  run(json: unknown, path: string): CaseResult[] | Promise<CaseResult[]>;
}

/** Runs `check`, which throws on a wrong answer. */
export function judge(name: string, check: () => void): CaseResult {
  try {
    check();
    return { name, ok: true };
  } catch (error) {
    return { name, ok: false, reason: error instanceof Error ? error.message : String(error) };
  }
}

/** A case that the design leaves out, with its reason. */
export function skip(name: string, reason: string): CaseResult {
  return { name, ok: true, skipped: true, reason };
}
