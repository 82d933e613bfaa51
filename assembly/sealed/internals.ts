// What the tests of this room see.
export { alloc, mark, release } from "../runtime/arena";
export { takeDetail } from "../runtime/fail";
export { ed25519PublicKey, ed25519Verify } from "../crypto/ed25519";
export { addressFormat, addressFromKey, addressParse } from "../wire/address";
export { frameContent, frameDecode, frameEncodeBinary, frameEncodeJson } from "../wire/frame";
export * from "./bindings";
export { controlGate, controlSign } from "./control";
export { readCompact, readEnvelope } from "./envelope";
export { isFresh } from "./freshness";
export { groupIdValid } from "./group-id";
export { inviteEncode, invitePetnameValid, inviteSign } from "./invite";
export { inviteParse } from "./invite-parse";
export { readKeyPackageBody } from "./key-package-body";
export { petnameValid } from "./petname";
export { classify, isConfirmMarker, isReserved, prefixBytes } from "./prefix";
export { sessionId, sessionName } from "./session-id";
export { readWelcomeBody } from "./welcome-body";
