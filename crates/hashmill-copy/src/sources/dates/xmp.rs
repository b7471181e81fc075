//! XMP packets (ISO 16684-1) and sidecars.

use super::input::Input;
use super::said::Said;
use crate::model::taken::Origin;
use quick_xml::XmlVersion;
use quick_xml::events::Event;
use quick_xml::name::ResolveResult;
use quick_xml::reader::NsReader;

/// Maximum depth of elements.
const DEEPEST: usize = 64;

/// The property that a name stands for.
#[derive(Clone, Copy)]
enum Property {
    Date(Origin),
    Make,
    Model,
}

fn property(namespace: &ResolveResult<'_>, name: &str) -> Option<Property> {
    let ResolveResult::Bound(namespace) = namespace else { return None };
    Some(match (namespace.as_ref(), name) {
        ("http://ns.adobe.com/exif/1.0/", "DateTimeOriginal") => Property::Date(Origin::XmpOriginal),
        ("http://ns.adobe.com/exif/1.0/", "DateTimeDigitized")
        | ("http://ns.adobe.com/xap/1.0/", "CreateDate")
        | ("http://ns.adobe.com/photoshop/1.0/", "DateCreated") => Property::Date(Origin::XmpCreate),
        ("http://ns.adobe.com/xap/1.0/", "ModifyDate") | ("http://ns.adobe.com/tiff/1.0/", "DateTime") => {
            Property::Date(Origin::Modify)
        }
        ("http://ns.adobe.com/tiff/1.0/", "Make") => Property::Make,
        ("http://ns.adobe.com/tiff/1.0/", "Model") => Property::Model,
        _ => return None,
    })
}

fn put(property: Property, value: &str, said: &mut Said) {
    match property {
        Property::Date(origin) => said.text(origin, value),
        Property::Make => said.make(value.as_bytes()),
        Property::Model => said.model(value.as_bytes()),
    }
}

/// Reads a packet. What comes before an error in it counts.
pub(super) fn read(input: &Input<'_>, said: &mut Said) {
    let bytes = input.all();
    let utf16 = |big: bool| {
        let units = bytes.chunks_exact(2).map(|b| match big {
            true => u16::from_be_bytes([b[0], b[1]]),
            false => u16::from_le_bytes([b[0], b[1]]),
        });
        char::decode_utf16(units).map(|c| c.unwrap_or(char::REPLACEMENT_CHARACTER)).collect::<String>()
    };
    match bytes.get(..2) {
        Some([0xff, 0xfe] | [b'<', 0]) => packet(utf16(false).trim_start_matches('\u{feff}'), said),
        Some([0xfe, 0xff] | [0, b'<']) => packet(utf16(true).trim_start_matches('\u{feff}'), said),
        _ => packet(String::from_utf8_lossy(&bytes).trim_start_matches('\u{feff}'), said),
    }
}

fn packet(text: &str, said: &mut Said) {
    let mut reader = NsReader::from_str(text.trim_end_matches('\0'));
    reader.config_mut().check_end_names = false;
    let mut depth = 0;
    // The property of the innermost element that is one.
    let mut open: Option<(usize, Property)> = None;
    loop {
        match reader.read_resolved_event() {
            Ok((namespace, event @ (Event::Start(_) | Event::Empty(_)))) => {
                let (Event::Start(element) | Event::Empty(element)) = &event else { continue };
                if let Some(p) = property(&namespace, element.local_name().as_ref())
                    && matches!(event, Event::Start(_))
                {
                    open = Some((depth, p));
                }
                for attribute in element.attributes().flatten() {
                    let (namespace, name) = reader.resolver().resolve_attribute(attribute.key);
                    if let (Some(p), Ok(value)) =
                        (property(&namespace, name.as_ref()), attribute.normalized_value(XmlVersion::Implicit1_0))
                    {
                        put(p, &value, said);
                    }
                }
                if matches!(event, Event::Start(_)) {
                    depth += 1;
                    if depth > DEEPEST {
                        return;
                    }
                }
            }
            Ok((_, Event::End(_))) => {
                depth = depth.saturating_sub(1);
                open = open.filter(|(at, _)| *at < depth);
            }
            Ok((_, Event::Text(text))) => {
                if let Some((_, p)) = open {
                    put(p, text.xml10_content().trim(), said);
                }
            }
            Ok((_, Event::Eof)) | Err(_) => return,
            Ok(_) => {}
        }
    }
}
