// Every scenario, in the order in which they are played.
import { acknowledgements } from "./cases/acknowledgements.ts";
import { air } from "./cases/air.ts";
import { gate } from "./cases/gate.ts";
import { matrix } from "./cases/matrix.ts";
import { order } from "./cases/order.ts";
import { pairing } from "./cases/pairing.ts";
import { peers } from "./cases/peers.ts";
import { renewal } from "./cases/renewal.ts";
import { time } from "./cases/time.ts";
import type { Scenario } from "./scenario.ts";

export const all: readonly Scenario[] = [
  ...pairing,
  ...acknowledgements,
  ...gate,
  ...peers,
  ...order,
  ...renewal,
  ...time,
  ...matrix,
  ...air,
];
