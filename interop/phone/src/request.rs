//! One line of stdin, read strictly: a member of the wrong type is refused, an unknown member is not.

use serde_json::{Map, Value};

use crate::link::LinkKind;

pub enum Request {
    Start { app: String, dir: Option<String>, link: LinkKind },
    Link { peer: String, up: bool, announce: bool },
    Frame { from: String, data: Vec<u8> },
    Send { to: String, text: String },
    Tick,
    Status { peer: String },
    Commit { peer: String },
    Rekey { peer: String },
    Invite { petname: Option<String> },
    Scan { blob: String },
    Clock { offset_seconds: i64 },
    Quit,
}

/// A request and the `id` to echo. A line that is no request has whatever `id` could be read from it.
pub struct Line {
    pub id: Option<Value>,
    pub request: Result<Request, String>,
}

impl Line {
    pub fn read(text: &str) -> Self {
        let members = match serde_json::from_str(text) {
            Ok(Value::Object(members)) => members,
            Ok(_) => return Self { id: None, request: Err("a request is a JSON object".to_string()) },
            Err(error) => return Self { id: None, request: Err(format!("not JSON: {error}")) },
        };
        let id = members.get("id").filter(|id| id.is_number() || id.is_string()).cloned();
        Self { id, request: read_request(&Members(&members)) }
    }
}

fn read_request(members: &Members) -> Result<Request, String> {
    let op = members.text("op")?;
    Ok(match op.as_str() {
        "start" => {
            Request::Start { app: members.text("app")?, dir: members.optional_text("dir")?, link: members.link_kind()? }
        }
        "link" => Request::Link {
            peer: members.text("peer")?,
            up: members.flag("up", true)?,
            announce: members.flag("announce", false)?,
        },
        "frame" => Request::Frame { from: members.text("from")?, data: members.bytes("data")? },
        "send" => Request::Send { to: members.text("to")?, text: members.text("text")? },
        "tick" => Request::Tick,
        "status" => Request::Status { peer: members.text("peer")? },
        "commit" => Request::Commit { peer: members.text("peer")? },
        "rekey" => Request::Rekey { peer: members.text("peer")? },
        "invite" => Request::Invite { petname: members.optional_text("petname")? },
        "scan" => Request::Scan { blob: members.text("blob")? },
        "clock" => Request::Clock { offset_seconds: members.integer("offset")? },
        "quit" => Request::Quit,
        _ => return Err(format!("unknown op: {op}")),
    })
}

struct Members<'a>(&'a Map<String, Value>);

impl Members<'_> {
    fn text(&self, name: &str) -> Result<String, String> {
        self.optional_text(name)?.ok_or_else(|| format!("{name} is missing"))
    }

    fn optional_text(&self, name: &str) -> Result<Option<String>, String> {
        match self.0.get(name) {
            None => Ok(None),
            Some(Value::String(text)) => Ok(Some(text.clone())),
            Some(_) => Err(format!("{name} is not text")),
        }
    }

    fn flag(&self, name: &str, default: bool) -> Result<bool, String> {
        match self.0.get(name) {
            None => Ok(default),
            Some(Value::Bool(flag)) => Ok(*flag),
            Some(_) => Err(format!("{name} is neither true nor false")),
        }
    }

    fn bytes(&self, name: &str) -> Result<Vec<u8>, String> {
        hex::decode(self.text(name)?).map_err(|error| format!("{name} is not hex: {error}"))
    }

    fn integer(&self, name: &str) -> Result<i64, String> {
        let value = self.0.get(name).ok_or_else(|| format!("{name} is missing"))?;
        value.as_i64().ok_or_else(|| format!("{name} is not a whole number"))
    }

    fn link_kind(&self) -> Result<LinkKind, String> {
        match self.optional_text("link")?.as_deref() {
            None | Some("stream") => Ok(LinkKind::Stream),
            Some("ble") => Ok(LinkKind::Ble),
            Some(other) => Err(format!("link is neither stream nor ble: {other}")),
        }
    }
}
