// Every number of this layer that has a name, in one place.
import { MAILBOX_BYTES } from "../runtime/memory";

/** First byte of a binary frame of version 1. Version n begins with F4 + n. */
export const BINARY_MAGIC: u32 = 0xf5;
/** Entry of `wire_versions` that promises to decode BINARY_MAGIC. */
export const BINARY_VERSION: u32 = 1;

/** Ext entry that holds the raw bytes of a base64 tail of the content. */
export const TAG_CONTENT_TAIL: u32 = 1;
/** Ext entry that holds the JSON of `reply_context`. */
export const TAG_REPLY_CONTEXT: u32 = 2;
/** Shortest base64 tail, in characters, that a writer splits off. */
export const TAIL_LEAST_CHARACTERS: u32 = 64;

/** Longest identifier and longest service id. */
export const IDENTIFIER_MOST_BYTES: u32 = 256;
export const SERVICE_ID_MOST_BYTES: u32 = 256;

export const UUID_BYTES: u32 = 16;
export const UUID_TEXT_BYTES: u32 = 36;

/** A Lamport clock that arrives is clamped to this. */
export const LAMPORT_MOST: u64 = 0x7fffffffffffffff;
/** Hops that a new message may take. */
export const DEFAULT_TTL: u32 = 8;

/** A length or count in a binary frame: five bytes on every target, largest last byte. */
export const LENGTH_MOST_BYTES: u32 = 5;
export const LENGTH_LAST_MOST: u32 = 0x0f;
/** A 64-bit number in a binary frame. */
export const NUMBER_MOST_BYTES: u32 = 10;
export const NUMBER_LAST_MOST: u32 = 0x01;
/** An ext tag. */
export const TAG_MOST_BYTES: u32 = 3;
export const TAG_LAST_MOST: u32 = 0x03;

// Bounds of the device, which the protocol does not know; the member build has none (UNBOUNDED).
const UNBOUNDED: u32 = 0xffffffff;

/** Longest frame. */
// @ts-ignore: constant of the build
export const FRAME_MOST_BYTES: u32 = LEAF ? <u32>MAILBOX_BYTES : UNBOUNDED;
/** Content of a binary frame with its tail put back, which takes a place of its own. */
// @ts-ignore: constant of the build
export const CONTENT_WHOLE_MOST_BYTES: u32 = LEAF ? 6 * 1024 : UNBOUNDED;
/** Metadata entries of a frame, bytes of a key, bytes of a value. */
// @ts-ignore: constant of the build
export const METADATA_MOST_ENTRIES: u32 = LEAF ? 64 : UNBOUNDED;
// @ts-ignore: constant of the build
export const METADATA_KEY_MOST_BYTES: u32 = LEAF ? 256 : UNBOUNDED;
// @ts-ignore: constant of the build
export const METADATA_VALUE_MOST_BYTES: u32 = LEAF ? 4096 : UNBOUNDED;
/** Ext entries of a frame, known or not. */
// @ts-ignore: constant of the build
export const EXT_MOST_ENTRIES: u32 = LEAF ? 16 : UNBOUNDED;
/** Bytes of the JSON of media metadata, of a forward note, of a reply context. */
// @ts-ignore: constant of the build
export const BLOB_MOST_BYTES: u32 = LEAF ? 4096 : UNBOUNDED;
/** Nesting of a JSON value that is dropped: as many as the bits of its stack. */
// @ts-ignore: constant of the build
export const DROPPED_MOST_DEPTH: u32 = LEAF ? 64 : UNBOUNDED;
