// Body of `__MLS_WELCOME__` (sealed.md section 9).
import { fail, OK } from "../runtime/fail";
import { Detail, Kind } from "../runtime/status";
import { memberBytes, memberPtr, readBody } from "./body";
import { WELCOME_MEMBERS } from "./text";

const GROUP_ID: u32 = 0;
const WELCOME_DATA: u32 = 1;
const INVITER_ID: u32 = 2;


@unmanaged
export class WelcomeBody {
  groupId: usize;
  groupIdBytes: u32;
  /** An MLSMessage that should hold a Welcome. */
  welcome: usize;
  welcomeBytes: u32;
  inviter: usize;
  inviterBytes: u32;
}

/** Reads the body, which is spent by it. The group id is compared by the caller, which is stricter than its rule. */
export function readWelcomeBody(ptr: usize, bytes: u32, body: WelcomeBody): i32 {
  const members = readBody(ptr, bytes, WELCOME_MEMBERS);
  if (!members) return fail(Kind.MalformedFrame, Detail.Body);
  body.groupId = memberPtr(members, GROUP_ID);
  body.groupIdBytes = memberBytes(members, GROUP_ID);
  body.welcome = memberPtr(members, WELCOME_DATA);
  body.welcomeBytes = memberBytes(members, WELCOME_DATA);
  body.inviter = memberPtr(members, INVITER_ID);
  body.inviterBytes = memberBytes(members, INVITER_ID);
  return OK;
}
