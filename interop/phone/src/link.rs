//! The radio between the phone and its peers, as the engine's own transports model it: no I/O, only queues.

use offline_protocol_core::time::SystemTime;
use offline_protocol_transport::{
    BleTransport, PeerDevice, Transport, TransportStatus, TransportType, WifiDirectTransport,
};

/// What carries frames. `Stream` carries whole frames, `Ble` fragments of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LinkKind {
    Stream,
    Ble,
}

/// Signal strength reported for every Bluetooth peer: strong, so that it plays no part.
const RSSI_DBM: i16 = -40;

impl LinkKind {
    pub fn transport_type(self) -> TransportType {
        match self {
            Self::Stream => TransportType::WiFiDirect,
            Self::Ble => TransportType::BLE,
        }
    }

    /// A transport of this kind for the engine.
    pub fn transport(self, device: &str) -> Box<dyn Transport> {
        match self {
            Self::Stream => Box::new(WifiDirectTransport::new(device)),
            Self::Ble => Box::new(BleTransport::new(device)),
        }
    }
}

/// The radio of a running engine is on.
pub fn switch_on(transport: &dyn Transport) {
    transport.on_status_changed(TransportStatus::Available);
}

/// The link to `peer` appears.
pub fn connect(transport: &dyn Transport, peer: &str) {
    let any = transport.as_any();
    if let Some(stream) = any.downcast_ref::<WifiDirectTransport>() {
        stream.on_peer_connected(peer);
    } else if let Some(ble) = any.downcast_ref::<BleTransport>() {
        ble.on_peer_discovered(PeerDevice {
            device_id: peer.to_string(),
            address: peer.to_string(),
            rssi: RSSI_DBM,
            last_seen: SystemTime::now(),
            connected: true,
        });
    }
}

/// The link to `peer` goes.
pub fn disconnect(transport: &dyn Transport, peer: &str) {
    let any = transport.as_any();
    if let Some(stream) = any.downcast_ref::<WifiDirectTransport>() {
        stream.on_peer_disconnected(peer);
    } else if let Some(ble) = any.downcast_ref::<BleTransport>() {
        ble.on_peer_lost(peer);
    }
}

/// Bytes arrive over the link of `peer`: a frame, or a fragment of one. The transport drops what is malformed.
pub fn deliver(transport: &dyn Transport, peer: &str, data: Vec<u8>) -> Result<(), String> {
    let delivered = match transport.transport_type() {
        TransportType::BLE => transport.on_fragment_received_from(data, peer.to_string()),
        _ => transport.on_data_received_from(data, peer.to_string()),
    };
    delivered.map_err(|error| error.to_string())
}

/// The next bytes that the engine wants on the air, with the peer they are for.
pub fn next_outbound(transport: &dyn Transport) -> Result<Option<(String, Vec<u8>)>, String> {
    let next = match transport.transport_type() {
        TransportType::BLE => transport.get_next_fragment(),
        _ => transport.get_next_message(),
    };
    next.map_err(|error| error.to_string())
}
