//! Colours, as GNU grep has them: the same defaults, keys of GREP_COLORS and bytes.

use std::io::{self, Write};

/// What a colour is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Part {
    File,
    Line,
    Column,
    Byte,
    Cost,
    Separator,
    /// A match in a line that is selected.
    Match,
    /// A match in a line of context.
    ContextMatch,
    Selected,
    Context,
}

/// The key of each part in GREP_COLORS, and its code if nothing is said. Those for column and cost are nigh's own.
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

/// Whether output is coloured, and how.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Colours(Option<Box<Palette>>);

#[derive(Debug, Clone, PartialEq, Eq)]
struct Palette {
    /// What begins each part; empty where it has no colour.
    starts: [Vec<u8>; PARTS.len()],
    end: &'static [u8],
    /// Whether the colours of selected lines and of context change places where lines without a match are selected.
    reversed: bool,
}

impl Colours {
    /// No colours.
    pub fn off() -> Self {
        Colours(None)
    }

    /// The colours that a value of GREP_COLORS asks for; of a broken one, as in grep, those before the break.
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
                    let both = value.map_or_else(|| codes[Part::Match as usize].clone(), <[u8]>::to_vec);
                    codes[Part::Match as usize] = both.clone();
                    codes[Part::ContextMatch as usize] = both;
                }
                (key, Some(value)) => {
                    let known = PARTS.iter().position(|(name, _)| name.as_bytes() == key);
                    // A key that is not known may be that of another program.
                    known.into_iter().for_each(|part| codes[part] = value.to_vec());
                }
                (_, None) => {}
            }
        }
        let erase: &[u8] = if erases { b"\x1b[K" } else { b"" };
        let starts = codes.map(|code| match code.is_empty() {
            true => code,
            false => [b"\x1b[", &code[..], b"m", erase].concat(),
        });
        let end: &[u8] = if erases { b"\x1b[m\x1b[K" } else { b"\x1b[m" };
        Colours(Some(Box::new(Palette { starts, end, reversed })))
    }

    /// Writes a text in the colour of its part.
    pub(crate) fn write(&self, part: Part, text: &[u8], out: &mut dyn Write) -> io::Result<()> {
        self.start(part, out)?;
        out.write_all(text)?;
        self.end(part, out)
    }

    /// Adds something in the colour of its part.
    pub(crate) fn push(&self, part: Part, out: &mut Vec<u8>, push: impl FnOnce(&mut Vec<u8>)) {
        self.start(part, out).expect("memory can be written to");
        push(out);
        self.end(part, out).expect("memory can be written to");
    }

    /// Begins the colour of a part, if it has one.
    pub(crate) fn start(&self, part: Part, out: &mut dyn Write) -> io::Result<()> {
        match &self.0 {
            Some(palette) if self.has(part) => out.write_all(&palette.starts[part as usize]),
            _ => Ok(()),
        }
    }

    pub(crate) fn end(&self, part: Part, out: &mut dyn Write) -> io::Result<()> {
        match &self.0 {
            Some(palette) if self.has(part) => out.write_all(palette.end),
            _ => Ok(()),
        }
    }

    /// Whether a part has a colour.
    pub(crate) fn has(&self, part: Part) -> bool {
        self.0.as_ref().is_some_and(|palette| !palette.starts[part as usize].is_empty())
    }

    /// Whether `-v` exchanges the colours of selected lines and of context.
    pub(crate) fn reversed(&self) -> bool {
        self.0.as_ref().is_some_and(|palette| palette.reversed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn coloured(settings: &str, part: Part) -> String {
        let mut out = Vec::new();
        Colours::on(settings.as_bytes()).write(part, b"x", &mut out).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn a_broken_setting_ends_them_and_an_unknown_one_does_not() {
        assert_eq!(coloured("ms=1:q=2:mc=3", Part::ContextMatch), "\x1b[3m\x1b[Kx\x1b[m\x1b[K");
        assert_eq!(coloured("ms=1:mc=a:ms=4", Part::Match), "\x1b[1m\x1b[Kx\x1b[m\x1b[K");
        assert_eq!(coloured("mt=1;2:ne", Part::ContextMatch), "\x1b[1;2mx\x1b[m");
        assert_eq!(coloured("mt=", Part::Match), "x");
    }
}
