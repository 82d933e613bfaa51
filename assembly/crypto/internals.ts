export { alloc, mark, release } from "../runtime/arena";
