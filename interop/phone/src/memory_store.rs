//! Protocol state that lives as long as the process: for a phone that was started without a folder.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use offline_protocol::protocol_state_storage::ProtocolStateResult;
use offline_protocol::ProtocolStateStorage;

type Records = HashMap<(String, String), Vec<u8>>;

#[derive(Default)]
pub struct MemoryStateStore {
    records: Mutex<Records>,
}

impl MemoryStateStore {
    fn with<T>(&self, act: impl FnOnce(&mut Records) -> T) -> T {
        act(&mut self.records.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

fn key(key_type: &str, key_id: &str) -> (String, String) {
    (key_type.to_string(), key_id.to_string())
}

impl ProtocolStateStorage for MemoryStateStore {
    fn store(&self, key_type: &str, key_id: &str, data: &[u8]) -> ProtocolStateResult<()> {
        self.with(|records| records.insert(key(key_type, key_id), data.to_vec()));
        Ok(())
    }

    fn load(&self, key_type: &str, key_id: &str) -> ProtocolStateResult<Option<Vec<u8>>> {
        Ok(self.with(|records| records.get(&key(key_type, key_id)).cloned()))
    }

    fn delete(&self, key_type: &str, key_id: &str) -> ProtocolStateResult<()> {
        self.with(|records| records.remove(&key(key_type, key_id)));
        Ok(())
    }

    fn list_keys(&self, key_type: &str) -> ProtocolStateResult<Vec<String>> {
        Ok(self.with(|records| {
            let of_type = records.keys().filter(|(kind, _)| kind == key_type);
            of_type.map(|(_, id)| id.clone()).collect()
        }))
    }
}
