// What opens the messages of one member: two ratchets that grow from one node of the secret tree (RFC 9420, 9).
import { newRatchet, Ratchet } from "./ratchet";
import { applicationSecret, handshakeSecret } from "./secret-tree";
import { make } from "./structure";

/** The two ratchets of one sender. */
@unmanaged
export class Receiver {
  /** False while `application.secret` is the sender's secret tree node and no ratchet was derived from it. */
  split: bool;
  application: Ratchet = changetype<Ratchet>(0);
  /** Its secret is known once `split`. */
  handshake: Ratchet = changetype<Ratchet>(0);
}

/** A receiver whose node secret is yet to be filled in at `application.secret`. */
export function newReceiver(): Receiver {
  const receiver = make<Receiver>();
  receiver.application = newRatchet();
  receiver.handshake = newRatchet();
  return receiver;
}

/** Derives both ratchets of a receiver from its node secret, once. */
export function splitReceiver(receiver: Receiver): void {
  if (receiver.split) return;
  handshakeSecret(receiver.application.secret, receiver.handshake.secret);
  applicationSecret(receiver.application.secret, receiver.application.secret);
  receiver.split = true;
}
