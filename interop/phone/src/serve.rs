//! Requests in, answers out, one at a time, until `quit` or the end of input.

use std::io::{self, BufRead, Write};

use serde_json::{json, Value};

use crate::answer;
use crate::clock;
use crate::engine::Engine;
use crate::invite;
use crate::request::{Line, Request};

pub fn serve(input: impl BufRead, mut out: impl Write) -> io::Result<()> {
    let mut engine: Option<Engine> = None;
    for line in input.split(b'\n') {
        let text = String::from_utf8_lossy(&line?).trim().to_string();
        if text.is_empty() {
            continue;
        }
        let Line { id, request } = Line::read(&text);
        let quitting = matches!(request, Ok(Request::Quit));
        let result = request.and_then(|request| carry_out(&mut engine, request));
        let outputs = engine.as_mut().map(Engine::pump).unwrap_or_default();
        answer::write(&mut out, &outputs, id, result)?;
        if quitting {
            break;
        }
    }
    if let Some(engine) = engine {
        engine.stop();
    }
    Ok(())
}

fn carry_out(slot: &mut Option<Engine>, request: Request) -> Result<Value, String> {
    match request {
        Request::Start { .. } if slot.is_some() => Err("already started".to_string()),
        Request::Start { app, dir, link } => {
            let engine = slot.insert(Engine::start(&app, dir.as_deref(), link)?);
            engine.identity()
        }
        Request::Scan { blob } => invite::read(&blob),
        Request::Clock { offset_seconds } => {
            clock::set_offset(offset_seconds)?;
            Ok(json!({ "offset": offset_seconds }))
        }
        Request::Quit => Ok(json!({})),
        request => carry_out_running(slot.as_mut().ok_or("not started")?, request),
    }
}

fn carry_out_running(engine: &mut Engine, request: Request) -> Result<Value, String> {
    match request {
        Request::Link { peer, up, announce } => engine.set_link(&peer, up, announce),
        Request::Frame { from, data } => engine.receive(&from, data),
        Request::Send { to, text } => engine.send(&to, &text),
        Request::Tick => engine.tick(),
        Request::Status { peer } => engine.status(&peer),
        Request::Commit { peer } => engine.commit(&peer),
        Request::Rekey { peer } => engine.rekey(&peer),
        Request::Invite { petname } => engine.invite(petname.as_deref()),
        Request::Start { .. } | Request::Scan { .. } | Request::Clock { .. } | Request::Quit => {
            unreachable!("handled without an engine")
        }
    }
}
