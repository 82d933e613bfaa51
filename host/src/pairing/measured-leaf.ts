// A device whose work is measured call by call.
import type { Leaf, LeafEvent, LeafOp, LeafReply, LeafRequest, LeafStats } from "@offleaf/interop";

/** What a call of the core did, by the names that benches use. */
export type Operation =
  "provision" | "resume" | "mint" | "peer-key-package" | "join" | "open" | "seal" | "commit" | "reset" | "other";

/** Cost of one kind of operation: the dearest of its calls. `null` where the board cannot measure. */
export interface OperationCost {
  operation: Operation;
  calls: number;
  instructions: number | null;
  arena: number;
  flashPrograms: number;
  flashBytes: number;
  flashErases: number;
}

/** Highest of everything, in bytes. */
export interface Peaks {
  arena: number;
  pool: number | null;
  stack: number | null;
}

/** Requests that change or ask nothing of the core, after which there is nothing to measure. */
const UNMEASURED = new Set<LeafOp>(["hello", "power", "fault", "stats", "flash", "entropy"]);

const BY_EVENT: [LeafEvent["type"], Operation][] = [
  ["SessionReset", "reset"],
  ["CommitApplied", "commit"],
  ["MessageReceived", "open"],
  ["SessionEstablished", "join"],
  ["PeerAdvertised", "peer-key-package"],
];

const highest = (a: number | null, b: number | null): number | null =>
  a === null ? b : b === null ? a : Math.max(a, b);

export class MeasuredLeaf implements Leaf {
  private readonly costs = new Map<Operation, OperationCost>();
  readonly peaks: Peaks = { arena: 0, pool: null, stack: null };
  private provisioned = false;

  constructor(private readonly leaf: Leaf) {}

  async request<O extends LeafOp>(request: LeafRequest<O>): Promise<LeafReply<O>> {
    const reply = await this.leaf.request(request);
    if (!UNMEASURED.has(request.op) && reply.ok) await this.measure(this.operationOf(request.op, reply.events));
    return reply;
  }

  close(): Promise<void> {
    return this.leaf.close();
  }

  /** Costs so far, in the order in which operations first happened. */
  operations(): OperationCost[] {
    return [...this.costs.values()].filter(({ operation }) => operation !== "other");
  }

  /** The first `open` of an erased part makes its identity; later ones find it. */
  private operationOf(op: LeafOp, events: LeafEvent[]): Operation {
    if (op === "advertise") return "mint";
    if (op === "seal") return "seal";
    if (op === "open") {
      const operation = this.provisioned ? "resume" : "provision";
      this.provisioned = true;
      return operation;
    }
    return BY_EVENT.find(([type]) => events.some((event) => event.type === type))?.[1] ?? "other";
  }

  private async measure(operation: Operation): Promise<void> {
    const reply = await this.leaf.request({ op: "stats" });
    if (!reply.ok) return;
    const stats = reply.r!;
    this.peaks.arena = Math.max(this.peaks.arena, stats.arena);
    this.peaks.pool = highest(this.peaks.pool, stats.pool);
    this.peaks.stack = highest(this.peaks.stack, stats.stack);
    this.costs.set(operation, dearest(this.costs.get(operation), operation, stats));
  }
}

function dearest(known: OperationCost | undefined, operation: Operation, stats: LeafStats): OperationCost {
  return {
    operation,
    calls: (known?.calls ?? 0) + 1,
    instructions: highest(known?.instructions ?? null, stats.instructions),
    arena: Math.max(known?.arena ?? 0, stats.arena),
    flashPrograms: Math.max(known?.flashPrograms ?? 0, stats.flashPrograms),
    flashBytes: Math.max(known?.flashBytes ?? 0, stats.flashBytes),
    flashErases: Math.max(known?.flashErases ?? 0, stats.flashErases),
  };
}
