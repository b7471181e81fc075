//! IPTC's fields (IIM 4.2), and Photoshop's resources, which contain them.

use super::input::Input;
use super::said::Said;
use super::{tiff, xmp};
use crate::model::taken::Origin;

/// Reads a list of fields.
pub(super) fn read(input: &Input<'_>, said: &mut Said) {
    let bytes = input.all();
    let mut rest = &bytes[..];
    let mut values = [const { String::new() }; 4];
    while let [0x1c, record, field, high, low, after @ ..] = rest {
        let length = usize::from(u16::from_be_bytes([*high, *low]));
        let Some((value, after)) = after.split_at_checked(length) else { break };
        rest = after;
        // The dates and times of creation and of digitizing.
        if *record == 2
            && let Some(i) = [55, 60, 62, 63].iter().position(|f| f == field)
            && values[i].is_empty()
        {
            values[i] = String::from_utf8_lossy(value).into_owned();
        }
    }
    let [day, time, digital_day, digital_time] = values;
    said.text(Origin::Iptc, &format!("{day} {time}"));
    said.text(Origin::Iptc, &format!("{digital_day} {digital_time}"));
}

/// Reads Photoshop's resources.
pub(super) fn resources(input: &Input<'_>, said: &mut Said) {
    let mut at = 0;
    while input.bytes(at, 4) == b"8BIM" && input.count() {
        let (Some(id), Some([name])) = (input.u16_be(at + 4), input.array(at + 6)) else { return };
        // The name and the content have even lengths.
        let after_name = at + 6 + (u64::from(name) + 2) / 2 * 2;
        let Some(length) = input.u32_be(after_name).map(u64::from) else { return };
        let content = input.part(after_name + 4, length);
        match id {
            0x0404 => read(&content, said),
            0x0422 => tiff::read(&content, said),
            0x0424 => xmp::read(&content, said),
            _ => {}
        }
        at = after_name + 4 + length.next_multiple_of(2);
    }
}

/// Reads a Photoshop file.
pub(super) fn photoshop(input: &Input<'_>, said: &mut Said) {
    // A header of 26 bytes, the colours, the resources.
    let Some(colours) = input.u32_be(26).map(u64::from) else { return };
    let Some(length) = input.u32_be(30 + colours).map(u64::from) else { return };
    resources(&input.part(34 + colours, length), said);
}
