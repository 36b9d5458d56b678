//! Colours of GNU grep: the same defaults, GREP_COLORS keys and escape sequences.

use std::io::{self, Write};

/// The element of output that a colour applies to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ColouredPart {
    File,
    Line,
    Column,
    Byte,
    Cost,
    Separator,
    /// A match in a selected line.
    Match,
    /// A match in a context line.
    ContextMatch,
    Selected,
    Context,
}

/// The GREP_COLORS key and the default colour code of each [`ColouredPart`], in the order of its variants. The keys
/// `cn` and `co`, for column and cost, are nigh's own.
const PARTS: [(&str, &str); 10] = [
    ("fn", "35"),
    ("ln", "32"),
    ("cn", "32"),
    ("bn", "32"),
    ("co", "32"),
    ("se", "36"),
    ("ms", "01;31"),
    ("mc", "01;31"),
    ("sl", ""),
    ("cx", ""),
];

/// The colours of the output; `None` if the output is not coloured.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Colours(Option<Box<Palette>>);

#[derive(Debug, Clone, PartialEq, Eq)]
struct Palette {
    /// The escape sequence that starts the colour of each [`ColouredPart`]; empty if the part has no colour.
    starts: [Vec<u8>; PARTS.len()],
    end: &'static [u8],
    /// Whether `-v` exchanges the colours of selected and context lines.
    reversed: bool,
}

impl Colours {
    /// Returns the setting for output without colours.
    pub fn off() -> Self {
        Colours(None)
    }

    /// Parses a value of GREP_COLORS. As in grep, settings before the first invalid one apply, and the rest is ignored.
    pub fn on(settings: &[u8]) -> Self {
        let mut codes = PARTS.map(|(_, code)| code.as_bytes().to_vec());
        let (mut reversed, mut erases) = (false, true);
        for setting in settings.split(|&byte| byte == b':') {
            let (key, value) = match setting.iter().position(|&byte| byte == b'=') {
                Some(0) => break,
                Some(at) => (&setting[..at], Some(&setting[at + 1..])),
                None => (setting, None),
            };
            if value.is_some_and(|value| !value.iter().all(|byte| byte.is_ascii_digit() || *byte == b';')) {
                break;
            }
            match (key, value) {
                (b"rv", _) => reversed = true,
                (b"ne", _) => erases = false,
                (b"mt", value) => {
                    let both = value.map_or_else(|| codes[ColouredPart::Match as usize].clone(), <[u8]>::to_vec);
                    codes[ColouredPart::Match as usize] = both.clone();
                    codes[ColouredPart::ContextMatch as usize] = both;
                }
                (key, Some(value)) => {
                    let known = PARTS.iter().position(|(name, _)| name.as_bytes() == key);
                    // Unknown keys may belong to other programs.
                    known.into_iter().for_each(|part| codes[part] = value.to_vec());
                }
                (_, None) => {}
            }
        }
        let erase: &[u8] = if erases { b"\x1b[K" } else { b"" };
        let starts = codes.map(|code| if code.is_empty() { code } else { [b"\x1b[", &code[..], b"m", erase].concat() });
        let end: &[u8] = if erases { b"\x1b[m\x1b[K" } else { b"\x1b[m" };
        Colours(Some(Box::new(Palette { starts, end, reversed })))
    }

    /// Writes `text` in the colour of `part`.
    pub fn write(&self, part: ColouredPart, text: &[u8], out: &mut dyn Write) -> io::Result<()> {
        self.start(part, out)?;
        out.write_all(text)?;
        self.end(part, out)
    }

    /// Appends the output of `push` in the colour of `part`.
    pub fn push(&self, part: ColouredPart, out: &mut Vec<u8>, push: impl FnOnce(&mut Vec<u8>)) {
        self.start(part, out).expect("memory can be written to");
        push(out);
        self.end(part, out).expect("memory can be written to");
    }

    /// Writes the escape sequence that starts the colour of `part`, if the part has a colour.
    pub fn start(&self, part: ColouredPart, out: &mut dyn Write) -> io::Result<()> {
        match &self.0 {
            Some(palette) if self.has(part) => out.write_all(&palette.starts[part as usize]),
            _ => Ok(()),
        }
    }

    /// Writes the escape sequence that ends the colour of `part`, if the part has a colour.
    pub fn end(&self, part: ColouredPart, out: &mut dyn Write) -> io::Result<()> {
        match &self.0 {
            Some(palette) if self.has(part) => out.write_all(palette.end),
            _ => Ok(()),
        }
    }

    /// Returns whether a part has a colour.
    pub fn has(&self, part: ColouredPart) -> bool {
        self.0.as_ref().is_some_and(|palette| !palette.starts[part as usize].is_empty())
    }

    /// Returns whether `-v` exchanges the colours of selected and context lines.
    pub fn reversed(&self) -> bool {
        self.0.as_ref().is_some_and(|palette| palette.reversed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn coloured(settings: &str, part: ColouredPart) -> String {
        let mut out = Vec::new();
        Colours::on(settings.as_bytes()).write(part, b"x", &mut out).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn settings_after_a_broken_one_are_ignored() {
        assert_eq!(coloured("ms=1:q=2:mc=3", ColouredPart::ContextMatch), "\x1b[3m\x1b[Kx\x1b[m\x1b[K");
        assert_eq!(coloured("ms=1:mc=a:ms=4", ColouredPart::Match), "\x1b[1m\x1b[Kx\x1b[m\x1b[K");
        assert_eq!(coloured("mt=1;2:ne", ColouredPart::ContextMatch), "\x1b[1;2mx\x1b[m");
        assert_eq!(coloured("mt=", ColouredPart::Match), "x");
    }
}
