//! InviteV1: what a label or a screen shows so that others can find this identity.

use offline_protocol_core::Address;
use offline_protocol_mls::invite::{encode_invite, invite_signing_payload, parse_invite};
use offline_protocol_mls::MlsManager;
use serde_json::{json, Value};

/// A signed invite of this identity, as base64url text.
pub fn make(manager: &MlsManager, petname: Option<&str>) -> Result<Value, String> {
    let blob = signed_blob(manager, petname).map_err(|error| error.to_string())?;
    Ok(json!({ "blob": blob }))
}

fn signed_blob(manager: &MlsManager, petname: Option<&str>) -> offline_protocol_mls::Result<String> {
    let public_key = manager.get_identity_public_key()?;
    let address: Address = MlsManager::derive_address(&public_key)?;
    let signature = manager.sign_data(&invite_signing_payload(&address, &public_key, petname)?)?;
    encode_invite(&address, &public_key, petname, Some(&signature))
}

/// What an invite says, once every check of the parser has passed.
pub fn read(blob: &str) -> Result<Value, String> {
    let invite = parse_invite(blob).map_err(|error| error.to_string())?;
    Ok(json!({
        "address": invite.address.to_string(),
        "publicKey": hex::encode(&invite.public_key),
        "petname": invite.petname,
        "signed": invite.signed,
    }))
}
