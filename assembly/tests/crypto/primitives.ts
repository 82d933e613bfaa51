// The crypto room with bytes for arguments: each call leaves the arena as it was.
import { type Room, loadRoom } from "../room.ts";

export const GCM_TAG_BYTES = 16;

export class Primitives {
  constructor(readonly room: Room = loadRoom("crypto")) {}

  /** Calls `name` with the arguments that `place` makes, the first result being what it wrote to `out`. */
  private produce(name: string, outBytes: number, place: (out: number) => number[]): Uint8Array {
    return this.room.scope(() => {
      const out = this.room.alloc(Math.max(outBytes, 1));
      this.room.call(name, ...place(out));
      return this.room.read(out, outBytes);
    });
  }

  /** Pointer and length of a copy. */
  private span(data: Uint8Array): [number, number] {
    return [this.room.put(data), data.length];
  }

  hash(name: "sha256" | "sha512", message: Uint8Array): Uint8Array {
    return this.produce(name, name === "sha256" ? 32 : 64, (out) => [...this.span(message), out]);
  }

  hmac(name: "hmacSha256" | "hmacSha512", key: Uint8Array, message: Uint8Array): Uint8Array {
    return this.produce(name, name === "hmacSha256" ? 32 : 64, (out) => [
      ...this.span(key),
      ...this.span(message),
      out,
    ]);
  }

  hkdfExtract(salt: Uint8Array, ikm: Uint8Array): Uint8Array {
    return this.produce("hkdfExtract", 32, (out) => [...this.span(salt), ...this.span(ikm), out]);
  }

  /** `prk` has 32 bytes. */
  hkdfExpand(prk: Uint8Array, info: Uint8Array, count: number): Uint8Array {
    return this.produce("hkdfExpand", count, (out) => [this.room.put(prk), ...this.span(info), out, count]);
  }

  /** One AES-128 block; the other of the pair is its complement, so that a mix-up of the two shows. */
  aesBlock(key: Uint8Array, block: Uint8Array): Uint8Array {
    return this.room.scope(() => {
      const schedule = this.room.alloc(352);
      const pair = this.room.put(new Uint8Array([...block, ...block.map((byte) => ~byte)]));
      this.room.call("aesExpandKey", this.room.put(key), schedule);
      this.room.call("aesEncryptPair", schedule, pair, pair);
      return this.room.read(pair, 16);
    });
  }

  /** Ciphertext, then tag. Sealed in place. */
  gcmSeal(key: Uint8Array, nonce: Uint8Array, aad: Uint8Array, plain: Uint8Array): Uint8Array {
    return this.room.scope(() => {
      const buffer = this.room.put(new Uint8Array([...plain, ...new Uint8Array(GCM_TAG_BYTES)]));
      const { put, call } = bound(this.room);
      call("aes128GcmSeal", put(key), put(nonce), put(aad), aad.length, buffer, plain.length, buffer);
      return this.room.read(buffer, plain.length + GCM_TAG_BYTES);
    });
  }

  /** The plaintext, or undefined where it was refused; a refusal that leaves anything in the output throws. */
  gcmOpen(key: Uint8Array, nonce: Uint8Array, aad: Uint8Array, cipher: Uint8Array): Uint8Array | undefined {
    return this.room.scope(() => {
      const { put, call } = bound(this.room);
      const bytes = Math.max(cipher.length - GCM_TAG_BYTES, 0);
      const out = put(new Uint8Array(bytes).fill(0xa5));
      const ok = call("aes128GcmOpen", put(key), put(nonce), put(aad), aad.length, put(cipher), cipher.length, out);
      const written = this.room.read(out, bytes);
      if (!ok && written.some((byte) => byte !== 0)) throw new Error("a refused message left bytes behind");
      return ok ? written : undefined;
    });
  }

  /** The shared secret, or undefined where it is all zero. */
  x25519(scalar: Uint8Array, point: Uint8Array): Uint8Array | undefined {
    return this.room.scope(() => {
      const { put, call } = bound(this.room);
      const out = this.room.alloc(32);
      return call("x25519", out, put(scalar), put(point)) ? this.room.read(out, 32) : undefined;
    });
  }

  x25519Base(scalar: Uint8Array): Uint8Array {
    return this.produce("x25519Base", 32, (out) => [out, this.room.put(scalar)]);
  }

  ed25519PublicKey(seed: Uint8Array): Uint8Array {
    return this.produce("ed25519PublicKey", 32, (out) => [this.room.put(seed), out]);
  }

  ed25519Sign(seed: Uint8Array, publicKey: Uint8Array, message: Uint8Array): Uint8Array {
    return this.produce("ed25519Sign", 64, (out) => [
      this.room.put(seed),
      this.room.put(publicKey),
      ...this.span(message),
      out,
    ]);
  }

  /** A signature that is not 64 bytes, or a key that is not 32, never reaches the core: its layouts have fixed lengths. */
  ed25519Verify(publicKey: Uint8Array, message: Uint8Array, signature: Uint8Array): boolean {
    if (publicKey.length !== 32 || signature.length !== 64) return false;
    return this.room.scope(() => {
      const { put, call } = bound(this.room);
      return call("ed25519Verify", put(publicKey), put(message), message.length, put(signature)) === 1;
    });
  }

  hpkeDeriveKeyPair(ikm: Uint8Array): { secretKey: Uint8Array; publicKey: Uint8Array } {
    return this.room.scope(() => {
      const out = this.room.alloc(64);
      this.room.call("hpkeDeriveKeyPair", ...this.span(ikm), out, out + 32);
      return { secretKey: this.room.read(out, 32), publicKey: this.room.read(out + 32, 32) };
    });
  }

  /** Undefined where the recipient's key has small order. */
  hpkeSeal(
    recipient: Uint8Array,
    info: Uint8Array,
    aad: Uint8Array,
    plain: Uint8Array,
    ephemeral: Uint8Array,
  ): { enc: Uint8Array; cipher: Uint8Array } | undefined {
    return this.room.scope(() => {
      const { put, call } = bound(this.room);
      const enc = this.room.alloc(32);
      const out = this.room.alloc(plain.length + GCM_TAG_BYTES);
      const message = [...this.span(info), ...this.span(aad), ...this.span(plain)];
      if (!call("hpkeSealBase", put(recipient), ...message, put(ephemeral), enc, out)) return undefined;
      return { enc: this.room.read(enc, 32), cipher: this.room.read(out, plain.length + GCM_TAG_BYTES) };
    });
  }

  hpkeOpen(
    enc: Uint8Array,
    secretKey: Uint8Array,
    publicKey: Uint8Array,
    info: Uint8Array,
    aad: Uint8Array,
    cipher: Uint8Array,
  ): Uint8Array | undefined {
    return this.room.scope(() => {
      const { put, call } = bound(this.room);
      const out = this.room.alloc(Math.max(cipher.length, 1));
      const message = [...this.span(info), ...this.span(aad), ...this.span(cipher)];
      const ok = call("hpkeOpenBase", put(enc), put(secretKey), put(publicKey), ...message, out);
      return ok ? this.room.read(out, cipher.length - GCM_TAG_BYTES) : undefined;
    });
  }
}

const bound = (room: Room) => ({
  put: (data: Uint8Array): number => room.put(data),
  call: (name: string, ...args: number[]): number => room.call(name, ...args),
});
