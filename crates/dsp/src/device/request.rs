//! The user's device request.

use serde::{Deserialize, Serialize};

/// Where the user wants work to run: `auto`, `cpu`, `gpu`, `gpu:N` or part of an adapter's name.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "String", into = "String")]
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
    /// Some of these, written with commas: jobs that run at once are shared among them, a single job takes the fastest.
    Several(Vec<DeviceRequest>),
}

base::declared_as!(DeviceRequest, String);

impl From<String> for DeviceRequest {
    fn from(text: String) -> Self {
        if text.contains(',') {
            let parts = text.split(',').map(str::trim).filter(|part| !part.is_empty());
            let mut parts: Vec<Self> = parts.map(|part| part.to_owned().into()).collect();
            return match parts.len() {
                0 => Self::Auto,
                1 => parts.remove(0),
                _ => Self::Several(parts),
            };
        }
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
            Self::Several(parts) => {
                for (number, part) in parts.iter().enumerate() {
                    write!(f, "{}{part}", if number > 0 { "," } else { "" })?;
                }
                Ok(())
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_reads_as_it_is_written() {
        for text in ["auto", "cpu", "gpu", "gpu:3", "GeForce RTX", "gpu:x", "gpu:0,gpu:1,cpu", "lavapipe,cpu"] {
            assert_eq!(DeviceRequest::from(text.to_owned()).to_string(), text);
        }
        assert_eq!(DeviceRequest::from(" GPU:1 ".to_owned()), DeviceRequest::GpuIndex(1));
        assert_eq!(DeviceRequest::from(String::new()), DeviceRequest::Auto);
        let several = DeviceRequest::Several(vec![DeviceRequest::GpuIndex(1), DeviceRequest::Cpu]);
        assert_eq!(DeviceRequest::from(" gpu:1 , ,CPU".to_owned()), several);
        assert_eq!(DeviceRequest::from("gpu:1,".to_owned()), DeviceRequest::GpuIndex(1));
        assert_eq!(DeviceRequest::from(" , ".to_owned()), DeviceRequest::Auto);
        assert_eq!(DeviceRequest::from("gpu:x".to_owned()), DeviceRequest::Name("gpu:x".to_owned()));
    }
}
