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

/// Returns a TIFF that contains nothing but DateTimeOriginal, stored as in raw files.
pub(crate) fn tiff(date: &str) -> Vec<u8> {
    assert_eq!(date.len(), 19);
    let mut t = b"II*\0".to_vec();
    t.extend(8u32.to_le_bytes());
    let entry = |out: &mut Vec<u8>, tag: u16, kind: u16, count: u32, value: u32| {
        out.extend(tag.to_le_bytes());
        out.extend(kind.to_le_bytes());
        out.extend(count.to_le_bytes());
        out.extend(value.to_le_bytes());
    };
    t.extend(1u16.to_le_bytes());
    entry(&mut t, 0x8769, 4, 1, 26);
    t.extend(0u32.to_le_bytes());
    t.extend(1u16.to_le_bytes());
    entry(&mut t, 0x9003, 2, 20, 44);
    t.extend(0u32.to_le_bytes());
    t.extend(date.as_bytes());
    t.push(0);
    t
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
    let exif = [&6u32.to_be_bytes()[..], b"Exif\0\0", &tiff(date)].concat();
    let kind = atom("ftyp", b"heic\0\0\0\0mif1heic");
    let handler = atom("hdlr", &[&[0; 8][..], b"pict", &[0; 13]].concat());
    let primary = atom("pitm", &[0, 0, 0, 0, 0, 1]);
    let item = |id: u8, kind: &str| atom("infe", &[&[2, 0, 0, 0, 0, id, 0, 0][..], kind.as_bytes(), &[0]].concat());
    let items = atom("iinf", &[&[0, 0, 0, 0, 0, 2][..], &item(1, "hvc1"), &item(2, "Exif")].concat());
    let meta = |offset: u32| {
        let place = |id: u8, offset: u32, len: u32| {
            [&[0, id, 0, 0, 0, 1][..], &offset.to_be_bytes(), &len.to_be_bytes()].concat()
        };
        let places = [place(1, offset, 0), place(2, offset, exif.len() as u32)].concat();
        let location = atom("iloc", &[&[0, 0, 0, 0, 0x44, 0, 0, 2][..], &places].concat());
        atom("meta", &[&[0; 4][..], &handler, &primary, &items, &location].concat())
    };
    let offset = kind.len() + meta(0).len() + 8;
    [kind, meta(offset as u32), atom("mdat", &exif)].concat()
}
