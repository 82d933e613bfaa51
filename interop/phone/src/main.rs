//! The published phone engine as a process that speaks JSON lines: requests on stdin, answers on stdout.
//! Every request and line is in README.md.

mod advert;
mod answer;
mod clock;
mod engine;
mod events;
mod invite;
mod lifetime;
mod link;
mod memory_store;
mod request;
mod serve;
mod session;

use std::io;
use std::process::ExitCode;

fn main() -> ExitCode {
    lifetime::end_with_parent();
    match serve::serve(io::stdin().lock(), io::stdout().lock()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("offleaf-phone: {error}");
            ExitCode::FAILURE
        }
    }
}
