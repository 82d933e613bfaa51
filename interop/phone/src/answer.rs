//! Lines of stdout.

use std::io::{self, Write};

use serde_json::{json, Value};

/// Something that the engine did while it carried out a request.
pub enum Output {
    Frame { to: String, data: Vec<u8> },
    Message { from: String, text: String },
    Event(Value),
}

impl Output {
    fn to_json(&self) -> Value {
        match self {
            Self::Frame { to, data } => json!({ "t": "frame", "to": to, "data": hex::encode(data) }),
            Self::Message { from, text } => json!({ "t": "message", "from": from, "text": text }),
            Self::Event(event) => json!({ "t": "event", "event": event }),
        }
    }
}

/// Writes what a request led to, then its `done`, and flushes.
pub fn write(
    out: &mut impl Write,
    outputs: &[Output],
    id: Option<Value>,
    result: Result<Value, String>,
) -> io::Result<()> {
    for output in outputs {
        writeln!(out, "{}", output.to_json())?;
    }
    writeln!(out, "{}", done(id, result))?;
    out.flush()
}

fn done(id: Option<Value>, result: Result<Value, String>) -> Value {
    let mut line = match result {
        Ok(r) => json!({ "t": "done", "ok": true, "r": r }),
        Err(error) => json!({ "t": "done", "ok": false, "err": error }),
    };
    if let Some(id) = id {
        line["id"] = id;
    }
    line
}
