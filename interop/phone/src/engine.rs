//! The engine with its storage, its one radio and its pump.

use std::collections::HashMap;
use std::path::Path;
use std::sync::{Arc, PoisonError};

use offline_protocol::mls::InMemoryStorage;
use offline_protocol::{
    account_storage_namespace, FileStorePair, MlsManager, OfflineProtocol, ProtocolConfig, StaticStoreKey,
};
use offline_protocol_transport::Transport;
use serde_json::{json, Value};

use crate::advert::Advert;
use crate::answer::Output;
use crate::events::{is_security_warning, EventLog};
use crate::invite;
use crate::link::{self, LinkKind};
use crate::memory_store::MemoryStateStore;
use crate::session;

/// Local name of the account. It never leaves the process; peers know the address.
const PROFILE: &str = "phone";

/// Key of the files under `dir`. They hold test identities only, so it is no secret.
const STORE_KEY: [u8; 32] = [0x6F; 32];

pub struct Engine {
    protocol: OfflineProtocol,
    transport: Arc<dyn Transport>,
    link: LinkKind,
    app: String,
    address: String,
    events: EventLog,
    adverts: HashMap<String, Advert>,
    /// A key package frame that the engine has been given and not yet judged.
    unjudged: Option<Advert>,
    /// Kept open for as long as the engine runs; `None` when state is in memory.
    files: Option<FileStorePair>,
}

impl Engine {
    /// A running engine. With `dir` its identity and sessions are on disk and survive the process.
    pub fn start(app: &str, dir: Option<&str>, link: LinkKind) -> Result<Self, String> {
        let mut config = ProtocolConfig::new(app, PROFILE);
        config.transport.wifi_direct_enabled = link == LinkKind::Stream;
        config.transport.ble_enabled = link == LinkKind::Ble;
        config.transport.internet_enabled = false;
        let mut protocol = OfflineProtocol::new(config).map_err(text)?;
        let events = EventLog::default();
        let log = events.clone();
        protocol.on_event(move |event| log.add(&event));

        let files = dir.map(|dir| open_files(app, dir)).transpose()?;
        match &files {
            Some(pair) => protocol.initialize_mls(pair.secure_storage(), pair.state_storage()),
            None => protocol.initialize_mls(Arc::new(InMemoryStorage::new()), Arc::new(MemoryStateStore::default())),
        }
        .map_err(text)?;
        let address = protocol.local_address().ok_or("the engine has no address")?.to_string();

        let radios = protocol.transport_manager_mut();
        radios.add_transport(link.transport_type(), link.transport(&address));
        let transport = radios.get_transport(link.transport_type()).ok_or("the engine kept no transport")?;
        protocol.start().map_err(text)?;
        link::switch_on(transport.as_ref());
        Ok(Self {
            protocol,
            transport,
            link,
            app: app.to_string(),
            address,
            events,
            adverts: HashMap::new(),
            unjudged: None,
            files,
        })
    }

    pub fn stop(mut self) {
        if let Err(error) = self.protocol.stop() {
            eprintln!("offleaf-phone: stopping the engine: {error}");
        }
        if let Some(files) = self.files {
            files.close();
        }
    }

    pub fn identity(&self) -> Result<Value, String> {
        let public_key = self.with_manager(|manager| manager.get_identity_public_key().map_err(text))?;
        Ok(json!({ "address": self.address, "publicKey": hex::encode(public_key) }))
    }

    /// The link to a peer appears or goes; `announce` tells the engine of a neighbour, which makes it start pairing.
    pub fn set_link(&mut self, peer: &str, up: bool, announce: bool) -> Result<Value, String> {
        if up {
            link::connect(self.transport.as_ref(), peer);
            if announce {
                self.protocol.on_neighbor_discovered(peer);
            }
        } else {
            link::disconnect(self.transport.as_ref(), peer);
            self.protocol.on_neighbor_lost(peer);
        }
        Ok(json!({}))
    }

    /// Bytes arrive. They can only have come over a link, so the link of `from` is up from now on.
    pub fn receive(&mut self, from: &str, data: Vec<u8>) -> Result<Value, String> {
        link::connect(self.transport.as_ref(), from);
        if self.link == LinkKind::Stream {
            self.unjudged = Advert::read(&data);
        }
        link::deliver(self.transport.as_ref(), from, data)?;
        Ok(json!({}))
    }

    pub fn send(&mut self, to: &str, message: &str) -> Result<Value, String> {
        let id = self.protocol.send_message(to, message, None, None::<String>).map_err(text)?;
        Ok(json!({ "messageId": id.to_string() }))
    }

    pub fn tick(&mut self) -> Result<Value, String> {
        self.protocol.process().map_err(text)?;
        Ok(json!({}))
    }

    pub fn status(&self, peer: &str) -> Result<Value, String> {
        let state = self.protocol.get_establishment_state(peer).map_err(text)?;
        let epoch = self.with_manager(|manager| session::epoch(manager, peer))?;
        Ok(json!({
            "session": epoch.is_some(),
            "confirmed": state == offline_protocol::EstablishmentState::SessionConfirmed,
            "state": state.as_str(),
            "epoch": epoch,
            "advertised": self.adverts.get(peer).map(Advert::to_json),
            "pendingAcks": self.protocol.pending_ack_count(),
            "retryQueue": self.protocol.retry_queue_size(),
        }))
    }

    /// An update commit of the phone's own leaf, as a frame to the peer.
    pub fn commit(&mut self, peer: &str) -> Result<Value, String> {
        let commit = self.with_manager(|manager| session::update(manager, peer))?;
        let compact = self.adverts.get(peer).is_some_and(Advert::takes_compact_envelope);
        let frame = session::commit_frame(&commit, peer, &self.app, compact)?;
        self.protocol.transport_manager_mut().send(&frame).map_err(text)?;
        Ok(json!({ "epoch": commit.epoch, "messageId": frame.id.to_string() }))
    }

    /// Session reset as the engine does it.
    pub fn rekey(&mut self, peer: &str) -> Result<Value, String> {
        match self.protocol.rekey_session(peer).map_err(text)? {
            true => Ok(json!({})),
            false => Err("the engine resets a session at most once in 30 s".to_string()),
        }
    }

    pub fn invite(&self, petname: Option<&str>) -> Result<Value, String> {
        self.with_manager(|manager| invite::make(manager, petname))
    }

    /// Lets the engine work until nothing moves, and takes what it did, in order.
    pub fn pump(&mut self) -> Vec<Output> {
        let mut outputs = Vec::new();
        let mut suspicious = false;
        loop {
            let before = outputs.len();
            let message = self.protocol.receive_message();
            for event in self.events.take() {
                suspicious |= is_security_warning(&event);
                outputs.push(Output::Event(event));
            }
            let more = message.is_some();
            if let Some(message) = message {
                let from = message.sender.as_str().to_string();
                outputs.push(Output::Message { from, text: message.content });
            }
            while let Some((to, data)) = self.next_outbound() {
                outputs.push(Output::Frame { to, data });
            }
            if !more && outputs.len() == before {
                break;
            }
        }
        if let Some(advert) = self.unjudged.take().filter(|_| !suspicious) {
            self.adverts.insert(advert.sender.clone(), advert);
        }
        outputs
    }

    fn next_outbound(&self) -> Option<(String, Vec<u8>)> {
        link::next_outbound(self.transport.as_ref()).unwrap_or_else(|error| {
            eprintln!("offleaf-phone: a frame could not be written: {error}");
            None
        })
    }

    fn with_manager<T>(&self, act: impl FnOnce(&MlsManager) -> Result<T, String>) -> Result<T, String> {
        let manager = self.protocol.mls_manager().ok_or("the engine has no MLS manager")?;
        act(&manager.read().unwrap_or_else(PoisonError::into_inner))
    }
}

/// Two stores under one folder, which the engine wants apart.
fn open_files(app: &str, dir: &str) -> Result<FileStorePair, String> {
    let dir = Path::new(dir);
    let namespace = account_storage_namespace(app, PROFILE);
    FileStorePair::open(dir.join("mls"), dir.join("state"), &namespace, &StaticStoreKey::new(STORE_KEY)).map_err(text)
}

fn text(error: impl std::fmt::Display) -> String {
    error.to_string()
}
