//! Minimal image and film files for tests of dates.

/// Returns a JPEG of one grey pixel.
pub(crate) fn jpeg() -> Vec<u8> {
    let mut j = vec![0xff, 0xd8];
    let mut segment = |marker: u8, content: &[u8]| {
        j.extend([0xff, marker]);
        j.extend((content.len() as u16 + 2).to_be_bytes());
        j.extend_from_slice(content);
    };
    segment(0xdb, &[&[0][..], &[1; 64]].concat());
    segment(0xc0, &[8, 0, 1, 0, 1, 1, 1, 0x11, 0]);
    segment(0xc4, &[&[0, 1][..], &[0; 15], &[0]].concat());
    segment(0xc4, &[&[0x10, 1][..], &[0; 15], &[0]].concat());
    segment(0xda, &[1, 1, 0, 0, 63, 0]);
    j.extend([0x3f, 0xff, 0xd9]);
    j
}

/// Returns a JPEG of one grey pixel with segments in front of it.
pub(crate) fn jpeg_with(segments: &[(u8, &[u8])]) -> Vec<u8> {
    let plain = jpeg();
    let mut j = plain[..2].to_vec();
    for (marker, content) in segments {
        j.extend([0xff, *marker]);
        j.extend((content.len() as u16 + 2).to_be_bytes());
        j.extend_from_slice(content);
    }
    [&j, &plain[2..]].concat()
}

/// Returns a JPEG with fill bytes in front of its first segment.
pub(crate) fn with_fill_bytes(jpeg: &[u8]) -> Vec<u8> {
    [&jpeg[..2], &[0xff; 5], &jpeg[2..]].concat()
}

/// EXIF with a few texts in it; those that are empty are left out.
#[derive(Clone)]
pub(crate) struct Exif {
    pub(crate) original: String,
    pub(crate) digitized: String,
    pub(crate) modified: String,
    pub(crate) offset: String,
    pub(crate) fraction: String,
    pub(crate) make: String,
    /// Whether numbers are big-endian.
    pub(crate) big: bool,
    /// The number that TIFF begins with, in little-endian order.
    pub(crate) magic: [u8; 2],
    /// Bytes between the header and the first directory.
    pub(crate) gap: usize,
    /// Whether everything is in the main directory.
    pub(crate) in_main: bool,
}

impl Default for Exif {
    fn default() -> Self {
        let none = String::new;
        Exif {
            original: none(),
            digitized: none(),
            modified: none(),
            offset: none(),
            fraction: none(),
            make: none(),
            big: false,
            magic: *b"*\0",
            gap: 0,
            in_main: false,
        }
    }
}

impl Exif {
    fn number(&self, bytes: usize, n: usize) -> Vec<u8> {
        let all = n.to_be_bytes();
        let mut number = all[all.len() - bytes..].to_vec();
        if !self.big {
            number.reverse();
        }
        number
    }

    /// Returns a directory of texts, with a pointer to the next one if there are `more`.
    fn directory(&self, start: usize, texts: &[(usize, &str)], more: bool) -> Vec<u8> {
        let texts: Vec<_> = texts.iter().filter(|(_, text)| !text.is_empty()).collect();
        let count = texts.len() + usize::from(more);
        let (mut entries, mut values) = (self.number(2, count), Vec::new());
        let after = start + 2 + count * 12 + 4;
        for (tag, text) in texts {
            entries.extend([self.number(2, *tag), self.number(2, 2), self.number(4, text.len() + 1)].concat());
            if text.len() < 4 {
                entries.extend(text.bytes().chain([0; 4]).take(4));
            } else {
                entries.extend(self.number(4, after + values.len()));
                values.extend(text.bytes().chain([0; 2]).take(text.len() + 1 + (text.len() + 1) % 2));
            }
        }
        if more {
            let pointer = [self.number(2, 0x8769), self.number(2, 4), self.number(4, 1)].concat();
            entries.extend([pointer, self.number(4, after + values.len())].concat());
        }
        [entries, vec![0; 4], values].concat()
    }

    /// Returns the directories as they are from `start` on.
    pub(crate) fn directories(&self, start: usize) -> Vec<u8> {
        let main = [(0x10f, &self.make[..]), (0x132, &self.modified)];
        let exif =
            [(0x9003, &self.original[..]), (0x9004, &self.digitized), (0x9011, &self.offset), (0x9291, &self.fraction)];
        if self.in_main {
            return self.directory(start, &[&main[..], &exif].concat(), false);
        }
        let mut all = self.directory(start, &main, true);
        all.extend(self.directory(start + all.len(), &exif, false));
        all
    }

    /// Returns a TIFF file.
    pub(crate) fn tiff(&self) -> Vec<u8> {
        let order = if self.big { *b"MM" } else { *b"II" };
        let magic = if self.big { [self.magic[1], self.magic[0]] } else { self.magic };
        let start = 8 + self.gap;
        [&order[..], &magic, &self.number(4, start), &vec![0xff; self.gap], &self.directories(start)].concat()
    }

    /// Returns the content of a segment of JPEG.
    pub(crate) fn segment(&self) -> Vec<u8> {
        [b"Exif\0\0", &self.tiff()[..]].concat()
    }
}

/// Returns a TIFF that contains nothing but DateTimeOriginal, stored as in raw files.
pub(crate) fn tiff(date: &str) -> Vec<u8> {
    Exif { original: date.into(), ..Exif::default() }.tiff()
}

fn atom(kind: &str, content: &[u8]) -> Vec<u8> {
    [&(content.len() as u32 + 8).to_be_bytes()[..], kind.as_bytes(), content].concat()
}

/// Returns a film without images. `created` is in seconds since 1904.
pub(crate) fn movie(brand: &str, created: u32) -> Vec<u8> {
    let mut header = vec![0; 4];
    for value in [created, created, 600, 600, 0x1_0000] {
        header.extend(value.to_be_bytes());
    }
    header.extend([1, 0]);
    header.extend([0; 10]);
    for value in [0x1_0000u32, 0, 0, 0, 0x1_0000, 0, 0, 0, 0x4000_0000] {
        header.extend(value.to_be_bytes());
    }
    header.extend([0; 24]);
    header.extend(2u32.to_be_bytes());
    let kind = atom("ftyp", &[brand.as_bytes(), &[0; 4], brand.as_bytes()].concat());
    [kind, atom("moov", &atom("mvhd", &header)), atom("mdat", &[0; 16])].concat()
}

/// Returns a HEIC file that contains nothing but its EXIF data.
pub(crate) fn heic(date: &str) -> Vec<u8> {
    heif("heic", &tiff(date), true, false)
}

/// Returns a file of the HEIF family that contains nothing but a TIFF, `named` as in JPEG, and perhaps `inside` its
/// index.
pub(crate) fn heif(brand: &str, tiff: &[u8], named: bool, inside: bool) -> Vec<u8> {
    let name = if named { &b"\0\0\0\x06Exif\0\0"[..] } else { &[0; 4] };
    let exif = [name, tiff].concat();
    let kind = atom("ftyp", &[brand.as_bytes(), b"\0\0\0\0mif1", brand.as_bytes()].concat());
    let handler = atom("hdlr", &[&[0; 8][..], b"pict", &[0; 13]].concat());
    let primary = atom("pitm", &[0, 0, 0, 0, 0, 1]);
    let item = |id: u8, kind: &str| atom("infe", &[&[2, 0, 0, 0, 0, id, 0, 0][..], kind.as_bytes(), &[0]].concat());
    let items = atom("iinf", &[&[0, 0, 0, 0, 0, 2][..], &item(1, "hvc1"), &item(2, "Exif")].concat());
    let meta = |offset: u32| {
        let place = |id: u8, offset: u32, len: u32| {
            let method: &[u8] = if inside { &[0, 1] } else { &[] };
            [&[0, id], method, &[0, 0, 0, 1], &offset.to_be_bytes(), &len.to_be_bytes()].concat()
        };
        let places = [place(1, offset, 0), place(2, offset, exif.len() as u32)].concat();
        let location = atom("iloc", &[&[u8::from(inside), 0, 0, 0, 0x44, 0, 0, 2][..], &places].concat());
        let data = if inside { atom("idat", &exif) } else { Vec::new() };
        atom("meta", &[&[0; 4][..], &handler, &primary, &items, &location, &data].concat())
    };
    let offset = if inside { 0 } else { kind.len() + meta(0).len() + 8 };
    [kind, meta(offset as u32), atom("mdat", if inside { b"" } else { &exif })].concat()
}

/// Returns a JPEG XL of no picture, with EXIF as it is or packed with Brotli.
pub(crate) fn jpeg_xl(tiff: &[u8], packed: bool) -> Vec<u8> {
    let exif = [&[0; 4], tiff].concat();
    let exif = if packed {
        // A single block that is not compressed, and an empty last one.
        let header = ((exif.len() as u32 - 1) << 4 | 1 << 20).to_le_bytes();
        atom("brob", &[b"Exif", &header[..3], &exif, &[3]].concat())
    } else {
        atom("Exif", &exif)
    };
    [atom("JXL ", b"\r\n\x87\n"), atom("ftyp", b"jxl \0\0\0\0jxl "), exif, atom("jxlc", b"\xff\x0a\0\0\0\0\0\0\0\0")]
        .concat()
}

/// Returns a PNG of one pixel with chunks in front of it. Their checks are zero.
pub(crate) fn png(chunks: &[(&[u8; 4], &[u8])]) -> Vec<u8> {
    let mut p = b"\x89PNG\r\n\x1a\n".to_vec();
    let header: (&[u8; 4], &[u8]) = (b"IHDR", &[0, 0, 0, 1, 0, 0, 0, 1, 8, 0, 0, 0, 0]);
    let last: [(&[u8; 4], &[u8]); 2] = [(b"IDAT", &[0x78, 0x9c, 0x63, 0, 0, 0, 2, 0, 1]), (b"IEND", &[])];
    for (kind, content) in [&[header], chunks, &last].concat() {
        p.extend((content.len() as u32).to_be_bytes());
        p.extend_from_slice(kind);
        p.extend_from_slice(content);
        p.extend([0; 4]);
    }
    p
}

fn chunk(kind: &[u8; 4], content: &[u8]) -> Vec<u8> {
    let padding = vec![0; content.len() % 2];
    [kind, &(content.len() as u32).to_le_bytes()[..], content, &padding].concat()
}

/// Returns a WebP of no picture.
pub(crate) fn webp(exif: &[u8]) -> Vec<u8> {
    let extended = chunk(b"VP8X", &[8, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
    chunk(b"RIFF", &[b"WEBP", &extended[..], &chunk(b"VP8 ", &[0; 20]), &chunk(b"EXIF", exif)].concat())
}

/// Returns an AVI film with one more chunk in its header.
pub(crate) fn avi(kind: &[u8; 4], content: &[u8]) -> Vec<u8> {
    avi_of(&chunk(kind, content))
}

/// Returns an AVI film whose stream has a chunk of a camera's data.
pub(crate) fn avi_with_strd(content: &[u8]) -> Vec<u8> {
    let stream = [b"strl", &chunk(b"strh", &[b"vids", &[0; 52][..]].concat())[..], &chunk(b"strd", content)].concat();
    avi_of(&chunk(b"LIST", &stream))
}

fn avi_of(more: &[u8]) -> Vec<u8> {
    let header = chunk(b"LIST", &[b"hdrl", &chunk(b"avih", &[0; 56])[..], more].concat());
    let film = chunk(b"LIST", &[b"movi", &chunk(b"00dc", b"abcd")[..]].concat());
    chunk(b"RIFF", &[b"AVI ", &header[..], &film].concat())
}

/// A film of MP4 or QuickTime without images.
#[derive(Clone)]
pub(crate) struct Film<'a> {
    pub(crate) brand: &'a str,
    /// The order of its boxes.
    pub(crate) order: &'a str,
    /// When it was made, in seconds since 1904.
    pub(crate) made: u64,
    /// Version of its header, 0 or 1.
    pub(crate) version: u8,
    /// One of Apple's keys, with its value.
    pub(crate) key: Option<(&'a str, &'a str)>,
    /// The date of iTunes.
    pub(crate) day: Option<&'a str>,
}

impl Default for Film<'_> {
    fn default() -> Self {
        Film { brand: "isom", order: "ftyp,moov,mdat", made: 0, version: 0, key: None, day: None }
    }
}

impl Film<'_> {
    pub(crate) fn bytes(&self) -> Vec<u8> {
        let width = if self.version == 0 { 4 } else { 8 };
        let number = |n: u64| n.to_be_bytes()[8 - width..].to_vec();
        let mut header = vec![self.version, 0, 0, 0];
        header.extend([number(self.made), number(self.made), 600u32.to_be_bytes().to_vec(), number(600)].concat());
        header.extend([0, 1, 0, 0, 1, 0]);
        header.extend([0; 70]);
        header.extend(2u32.to_be_bytes());
        let data = |value: &str| atom("data", &[&[0, 0, 0, 1, 0, 0, 0, 0], value.as_bytes()].concat());
        let handler = |kind: &[u8; 4]| atom("hdlr", &[&[0; 8][..], kind, &[0; 13]].concat());
        let mut index = atom("mvhd", &header);
        if let Some((name, value)) = self.key {
            let keys = atom("keys", &[&[0, 0, 0, 0, 0, 0, 0, 1][..], &atom("mdta", name.as_bytes())].concat());
            let mut item = atom("....", &data(value));
            item[4..8].copy_from_slice(&1u32.to_be_bytes());
            index.extend(atom("meta", &[handler(b"mdta"), keys, atom("ilst", &item)].concat()));
        }
        if let Some(day) = self.day {
            let mut item = atom(".day", &data(day));
            item[4] = 0xa9;
            let list = [&[0; 4][..], &handler(b"mdir"), &atom("ilst", &item)].concat();
            index.extend(atom("udta", &atom("meta", &list)));
        }
        let of = |kind: &str| match kind {
            "ftyp" => atom("ftyp", &[self.brand.as_bytes(), &[0; 4], self.brand.as_bytes()].concat()),
            "moov" => atom("moov", &index),
            other => atom(other, &[0; 16]),
        };
        self.order.split(',').flat_map(of).collect()
    }
}

/// Returns a Matroska film made at `seconds` since 1970.
pub(crate) fn matroska(seconds: u64) -> Vec<u8> {
    let element = |id: &[u8], content: &[u8]| [id, &[0x80 | content.len() as u8], content].concat();
    let date = ((seconds - 978_307_200) * 1_000_000_000).to_be_bytes();
    let header = element(&[0x1a, 0x45, 0xdf, 0xa3], &element(&[0x42, 0x82], b"matroska"));
    let information = element(&[0x15, 0x49, 0xa9, 0x66], &element(&[0x44, 0x61], &date));
    [header, element(&[0x18, 0x53, 0x80, 0x67], &information)].concat()
}

/// Returns a WMV film made at `seconds` since 1970.
pub(crate) fn wmv(seconds: u64) -> Vec<u8> {
    let object = |id: [u8; 16], content: &[u8]| [&id[..], &(content.len() as u64 + 24).to_le_bytes(), content].concat();
    let ticks = (seconds + 11_644_473_600) * 10_000_000;
    let properties = [&[0; 24][..], &ticks.to_le_bytes(), &[0; 48]].concat();
    let properties = object(
        [0xa1, 0xdc, 0xab, 0x8c, 0x47, 0xa9, 0xcf, 0x11, 0x8e, 0xe4, 0, 0xc0, 0x0c, 0x20, 0x53, 0x65],
        &properties,
    );
    let header = [&[1, 0, 0, 0, 1, 2][..], &properties].concat();
    object([0x30, 0x26, 0xb2, 0x75, 0x8e, 0x66, 0xcf, 0x11, 0xa6, 0xd9, 0, 0xaa, 0, 0x62, 0xce, 0x6c], &header)
}

/// Returns an AVCHD film of 2024-05-31 21:30:00 +02:00.
pub(crate) fn avchd() -> Vec<u8> {
    let packet = |number: u16, start: bool, content: &[u8]| {
        let [high, low] = (number | u16::from(start) << 14).to_be_bytes();
        // What is left of a packet is filled in its header.
        let free = 184 - content.len();
        let filling = match free {
            0 => vec![],
            1 => vec![0],
            n => [vec![n as u8 - 1, 0], vec![0xff; n - 2]].concat(),
        };
        [&[0x47, high, low, if free == 0 { 0x10 } else { 0x30 }][..], &filling, content].concat()
    };
    let programs = [0, 0, 0xb0, 0x0d, 0, 1, 0xc1, 0, 0, 0, 1, 0xe1, 0, 0, 0, 0, 0];
    let streams = [0, 2, 0xb0, 0x12, 0, 1, 0xc1, 0, 0, 0xf0, 0x11, 0xf0, 0, 0x1b, 0xf0, 0x11, 0xf0, 0, 0, 0, 0, 0];
    let mut data = b"\x17\xee\x8c\x60\xf8\x4d\x11\xd9\x8c\xd6\x08\x00\x20\x0c\x9a\x66MDPM".to_vec();
    data.extend([2, 0x18, 4, 0x20, 0x24, 0x05, 0x19, 0x31, 0x21, 0x30, 0]);
    let mut picture = vec![0, 0, 1, 0xe0, 0, 0, 0x80, 0, 0, 0, 0, 0, 1, 9, 0x10, 0, 0, 0, 1, 6, 5, data.len() as u8];
    // Two zeros and a small number would be a marker in H.264.
    for b in data {
        if picture.ends_with(&[0, 0]) && b <= 3 {
            picture.push(3);
        }
        picture.push(b);
    }
    picture.extend([0x80, 0, 0, 0, 1, 9, 0x10]);
    let mut film = [packet(0, true, &programs), packet(0x100, true, &streams), packet(0x1011, true, &picture)].concat();
    for _ in 0..5 {
        film.extend(packet(0x1011, true, &[0, 0, 1, 0xe0, 0, 0, 0x80, 0, 0, 0, 0, 0, 1, 9, 0x10]));
    }
    film
}
