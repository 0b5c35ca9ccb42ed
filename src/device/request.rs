//! The user's device request.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// Where the user wants work to run: `auto`, `cpu`, `gpu`, `gpu:N` or part of an adapter's name.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(from = "String", into = "String")]
#[ts(type = "string")]
pub enum DeviceRequest {
    /// The faster device, by the measured cost model.
    #[default]
    Auto,
    /// The CPU.
    Cpu,
    /// The best hardware adapter; a software adapter if there is none.
    Gpu,
    /// The adapter at this index of the adapter list.
    GpuIndex(usize),
    /// The first adapter whose name and back end contain this text, ignoring case.
    Name(String),
}

impl From<String> for DeviceRequest {
    fn from(text: String) -> Self {
        let lower = text.trim().to_lowercase();
        match lower.as_str() {
            "auto" | "" => Self::Auto,
            "cpu" => Self::Cpu,
            "gpu" => Self::Gpu,
            _ => match lower.strip_prefix("gpu:").map(str::parse) {
                Some(Ok(index)) => Self::GpuIndex(index),
                _ => Self::Name(text.trim().to_owned()),
            },
        }
    }
}

impl From<DeviceRequest> for String {
    fn from(request: DeviceRequest) -> Self {
        request.to_string()
    }
}

impl std::fmt::Display for DeviceRequest {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Auto => f.write_str("auto"),
            Self::Cpu => f.write_str("cpu"),
            Self::Gpu => f.write_str("gpu"),
            Self::GpuIndex(index) => write!(f, "gpu:{index}"),
            Self::Name(name) => f.write_str(name),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_reads_as_it_is_written() {
        for text in ["auto", "cpu", "gpu", "gpu:3", "GeForce RTX", "gpu:x"] {
            assert_eq!(DeviceRequest::from(text.to_owned()).to_string(), text);
        }
        assert_eq!(DeviceRequest::from(" GPU:1 ".to_owned()), DeviceRequest::GpuIndex(1));
        assert_eq!(DeviceRequest::from(String::new()), DeviceRequest::Auto);
        assert_eq!(DeviceRequest::from("gpu:x".to_owned()), DeviceRequest::Name("gpu:x".to_owned()));
    }
}
