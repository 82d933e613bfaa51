// What a scenario is.
import type { Stage } from "./stage.ts";

export interface Scenario {
  /** Stable name, for --only and for reports. */
  name: string;
  /** What must hold, in one sentence. */
  holds: string;
  /** How the stage is set: time that passes on request, a device that has not been opened. */
  set?: { virtual?: boolean; open?: boolean };
  /** Throws when it does not hold, and Skip when this board cannot show it. */
  play(stage: Stage): Promise<void>;
}

/** This board cannot show it; the reason goes into the report. */
export class Skip extends Error {
  constructor(reason: string) {
    super(reason);
    this.name = "Skip";
  }
}
