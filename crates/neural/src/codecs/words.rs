//! Codecs as text: `opus:32,64,96`, `vorbis:q4`, `flac`, `encodec:PATH@6,12`.

use std::sync::Arc;

use super::Codec;
use super::family::{FAMILIES, Family};
use base::error::{Error, Result};

/// The most codecs of a list.
pub const MAX_CODECS: usize = 1000;

/// Creates codecs from words such as `opus:32,64,96`, in order. Duplicates are dropped.
///
/// # Errors
/// [`Error::Limit`] beyond [`MAX_CODECS`].
pub fn from_words(words: &[String]) -> Result<Vec<Arc<dyn Codec>>> {
    let mut codecs: Vec<Arc<dyn Codec>> = Vec::new();
    for word in words {
        let (name, settings) = match word.trim().split_once(':') {
            Some((name, settings)) => (name, Some(settings)),
            None => (word.trim(), None),
        };
        let family = family(name)?;
        let settings = match (settings, family.usual) {
            (Some(settings), _) => settings,
            (None, Some(usual)) => usual,
            (None, None) => {
                let allowed = format!("followed by a setting, such as `{name}:...` ({})", family.settings);
                return Err(Error::invalid(format!("codec `{name}`"), "no setting", allowed));
            }
        };
        for codec in family.codecs(settings)? {
            if codecs.iter().all(|other| other.name() != codec.name()) {
                codecs.push(codec);
            }
            if codecs.len() > MAX_CODECS {
                return Err(Error::Limit {
                    what: "number of codecs and settings".to_owned(),
                    got: format!("more than {MAX_CODECS}"),
                    limit: MAX_CODECS.to_string(),
                });
            }
        }
    }
    Ok(codecs)
}

/// Splits text at white space into words; text between double quotes is not split.
pub fn split_words(text: &str) -> Vec<String> {
    let (mut words, mut word, mut is_quoted) = (Vec::new(), String::new(), false);
    for sign in text.chars() {
        match sign {
            '"' => is_quoted = !is_quoted,
            sign if sign.is_whitespace() && !is_quoted => words.push(std::mem::take(&mut word)),
            sign => word.push(sign),
        }
    }
    words.push(word);
    words.retain(|word| !word.is_empty());
    words
}

fn family(name: &str) -> Result<&'static Family> {
    FAMILIES.iter().find(|family| family.name == name).ok_or_else(|| {
        let names: Vec<&str> = FAMILIES.iter().map(|family| family.name).collect();
        let nearest = names.iter().max_by(|a, b| strsim::jaro(a, name).total_cmp(&strsim::jaro(b, name)));
        let nearest = nearest.filter(|nearest| strsim::jaro(nearest, name) > 0.6);
        let hint = nearest.map(|nearest| format!("; the nearest is {nearest}")).unwrap_or_default();
        Error::invalid("codec", name, format!("one of {}{hint}", names.join(", ")))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(words: &[&str]) -> Result<Vec<String>> {
        let words: Vec<String> = words.iter().map(|&word| word.to_owned()).collect();
        Ok(from_words(&words)?.iter().map(|codec| codec.name()).collect())
    }

    #[test]
    fn words_name_codecs_in_order_and_once() {
        let found = names(&["opus:32, 64,32", "vorbis:4,q-1,q5.5", "flac", "flac:24", "pcm:8", "rate:16000", "mp3:v2"]);
        let expected = ["opus:32", "opus:64", "vorbis:q4", "vorbis:q-1", "vorbis:q5.5", "flac", "flac:24", "pcm:8"];
        assert_eq!(found.unwrap(), [&expected[..], &["rate:16000", "mp3:v2"]].concat());
        assert_eq!(names(&["opus", "vorbis", "mp3"]).unwrap(), ["opus:96", "vorbis:q4", "mp3:128"]);
    }

    #[test]
    fn quotes_keep_a_path_together() {
        assert_eq!(split_words(" opus:64\tflac "), ["opus:64", "flac"]);
        assert_eq!(split_words("\"encodec:/my models/a@6\" opus"), ["encodec:/my models/a@6", "opus"]);
        assert_eq!(split_words("dac:\"/a b\"@8"), ["dac:/a b@8"]);
        assert_eq!(split_words("  \"\" "), [""; 0]);
    }

    #[test]
    fn wrong_words_are_told_with_what_is_allowed() {
        for (word, part) in [
            ("opsu:64", "the nearest is opus"),
            ("aac:64", "one of opus, vorbis, mp3, flac, pcm, rate, encodec, dac, mimi"),
            ("encodec", "followed by a setting"),
            ("mimi:", "a path and bandwidths"),
            ("dac:@8", "a path and bandwidths"),
            ("opus:", "6 to 256"),
            ("opus:2", "6 to 256"),
            ("opus:64,,", "6 to 256"),
            ("vorbis:q11", "q-1 to q10"),
            ("vorbis:NaN", "q-1 to q10"),
            ("mp3:100", "128"),
            ("mp3:v10", "v0 to v9"),
            ("flac:32", "16, 24"),
            ("pcm:1", "2 to 24"),
            ("pcm", "followed by a setting"),
            ("rate:1", "1000 to 768000"),
            ("", "one of opus"),
        ] {
            let error = names(&[word]).unwrap_err();
            assert!(matches!(error, Error::Invalid { .. }) && error.to_string().contains(part), "{word}: {error}");
        }
        let many = format!("rate:{}", (1000..3000).map(|hz| hz.to_string()).collect::<Vec<_>>().join(","));
        assert!(matches!(names(&[&many]), Err(Error::Limit { .. })));
    }
}
