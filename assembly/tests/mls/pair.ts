// The pair that the tests of this room begin with.
import { ascii, Device } from "./device.ts";
import { Phone } from "./phone.ts";

export const DEVICE = "off1qygt56pv3tgn2yuhr694dzq64w9awq4msq8e28hm";
export const PHONE = "off1qyfjtwzsc2r3j9h2ugplpm7rezv87e89uvvyeawy";
export const GROUP = ascii(`session:${DEVICE}:${PHONE}`);

export const fill = (value: number): Uint8Array => new Uint8Array(32).fill(value);
export const text = (data: Uint8Array): string => new TextDecoder().decode(data);

/** A phone judges lifetimes by its own clock. */
export const notBefore = BigInt(Math.floor(Date.now() / 1000)) - 3600n;

/** A device with a fresh key package. */
export function newDevice(): Device {
  const device = new Device(fill(0x11), DEVICE, GROUP, PHONE);
  device.mint(fill(0x33), notBefore);
  return device;
}

export interface Pair {
  device: Device;
  phone: Phone;
}

/** A device and a phone in epoch 1; the phone's messages carry `padding` zero bytes. */
export async function pair(padding = 0): Promise<Pair> {
  const device = newDevice();
  const phone = await Phone.found(GROUP, PHONE, padding);
  device.join(await phone.add([device.keyPackage]));
  return { device, phone };
}

/** A copy with one byte changed. */
export function flipped(data: Uint8Array, at: number): Uint8Array {
  const copy = data.slice();
  copy[at < 0 ? data.length + at : at]! ^= 1;
  return copy;
}
