export { alloc, mark, release, wipe } from "../runtime/arena";
export { takeDetail } from "../runtime/fail";
export * from "./journal";
export { live } from "./index";
export { headSequence, tailEnd, tailPage, tailSequence } from "./mount";
