//! What a peer said about itself in its last key package frame. The engine keeps this to itself, so it is read from
//! the frame on its way in, and believed only when the engine did not warn about the frame.

use offline_protocol_core::{Message, WIRE_V1_MAGIC};
use offline_protocol_sealed::keypackage::{KeyPackagePayload, MLS_ENVELOPE_COMPACT_V1};
use offline_protocol_sealed::prefixes::KEY_PACKAGE;
use serde_json::{json, Value};

#[derive(Clone)]
pub struct Advert {
    pub sender: String,
    payload: KeyPackagePayload,
}

impl Advert {
    /// Reads a whole frame; `None` when it is not a key package frame.
    pub fn read(frame: &[u8]) -> Option<Self> {
        let message = match frame.first() {
            Some(&first) if first == WIRE_V1_MAGIC => Message::from_wire_v1_bytes(frame).ok()?,
            _ => Message::from_bytes(frame).ok()?,
        };
        let payload = serde_json::from_str(message.content.strip_prefix(KEY_PACKAGE)?).ok()?;
        Some(Self { sender: message.sender.as_str().to_string(), payload })
    }

    /// Whether the peer parses the compact envelope.
    pub fn takes_compact_envelope(&self) -> bool {
        self.payload.env_versions.contains(&MLS_ENVELOPE_COMPACT_V1)
    }

    /// The capability lists and flags, under the names they have on the wire.
    pub fn to_json(&self) -> Value {
        let payload = &self.payload;
        json!({
            "session_reset": payload.session_reset,
            "no_session": payload.no_session,
            "wire_versions": payload.wire_versions,
            "env_versions": payload.env_versions,
            "rich_versions": payload.rich_versions,
            "data_versions": payload.data_versions,
            "ctrl_versions": payload.ctrl_versions,
            "svc_versions": payload.svc_versions,
            "ack_versions": payload.ack_versions,
        })
    }
}
