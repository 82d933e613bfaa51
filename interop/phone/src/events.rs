//! Events of the engine, in the engine's own JSON, collected until the pump takes them.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

use offline_protocol::Event;
use serde_json::Value;

/// How the engine scores and switches radios. With one radio it says nothing, and it is full of measured times.
const RADIO_CHOICE: [&str; 5] = [
    "dors_score_updated",
    "dors_transport_selected",
    "dors_transport_switched",
    "transport_switched",
    "network_metrics",
];

/// Name of the event that a control frame was refused under.
const SECURITY_WARNING: &str = "security_warning";

#[derive(Clone, Default)]
pub struct EventLog {
    waiting: Arc<Mutex<VecDeque<Value>>>,
}

impl EventLog {
    /// Takes an event from the engine; called on whatever thread the engine chooses.
    pub fn add(&self, event: &Event) {
        let value = serde_json::to_value(event).unwrap_or_else(|error| Value::String(error.to_string()));
        if !RADIO_CHOICE.contains(&kind_of(&value)) {
            self.waiting.lock().unwrap_or_else(PoisonError::into_inner).push_back(value);
        }
    }

    pub fn take(&self) -> VecDeque<Value> {
        std::mem::take(&mut *self.waiting.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// Whether the engine complains about the security of something it received.
pub fn is_security_warning(event: &Value) -> bool {
    kind_of(event) == SECURITY_WARNING
}

fn kind_of(event: &Value) -> &str {
    event.get("type").and_then(Value::as_str).unwrap_or_default()
}
