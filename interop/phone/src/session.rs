//! The MLS session with one peer, below the engine: the epoch, and a commit, which the engine itself never makes.
//! The engine loads the group from storage for each operation, so what is changed here it sees at once.

use base64::engine::general_purpose::STANDARD;
use base64::Engine as _;
use offline_protocol::{EncryptedMessage, GroupId, MlsManager};
use offline_protocol_core::{AppId, Message, UserId};
use offline_protocol_sealed::prefixes::ENCRYPTED;

/// Epoch of the session with `peer`; `None` without one.
pub fn epoch(manager: &MlsManager, peer: &str) -> Result<Option<u64>, String> {
    let group = session_with(manager, peer)?;
    Ok(manager.get_group_info(&group).map_err(text)?.map(|info| info.epoch))
}

/// Commits an update of the phone's own leaf and moves the phone to the new epoch.
pub fn update(manager: &MlsManager, peer: &str) -> Result<EncryptedMessage, String> {
    manager.update_keys(&session_with(manager, peer)?).map_err(text)
}

/// A commit as the frame that carries it: sealed content, acknowledged, envelope in the form that the peer reads.
pub fn commit_frame(commit: &EncryptedMessage, peer: &str, app: &str, compact: bool) -> Result<Message, String> {
    let body =
        if compact { STANDARD.encode(commit.to_bytes()) } else { serde_json::to_string(commit).map_err(text)? };
    let sender = UserId::new(commit.sender_id.as_str()).map_err(text)?;
    let recipient = UserId::new(peer).map_err(text)?;
    let app = AppId::new(app).map_err(text)?;
    Ok(Message::new(sender, recipient, app, format!("{ENCRYPTED}{body}")))
}

fn session_with(manager: &MlsManager, peer: &str) -> Result<GroupId, String> {
    GroupId::for_session(manager.user_id(), peer).map_err(text)
}

fn text(error: impl std::fmt::Display) -> String {
    error.to_string()
}
