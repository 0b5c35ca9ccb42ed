//! The identifiers of frames of older versions, in the naming of version 2.4.

/// Frames of version 2.2.
const OF_2: [(&str, &str); 69] = [
    ("BUF", "RBUF"),
    ("CNT", "PCNT"),
    ("COM", "COMM"),
    ("CRA", "AENC"),
    ("EQU", "EQUA"),
    ("ETC", "ETCO"),
    ("GEO", "GEOB"),
    ("GP1", "GRP1"),
    ("IPL", "TIPL"),
    ("LNK", "LINK"),
    ("MCI", "MCDI"),
    ("MLL", "MLLT"),
    ("MVI", "MVIN"),
    ("MVN", "MVNM"),
    ("PCS", "PCST"),
    ("PIC", "APIC"),
    ("POP", "POPM"),
    ("REV", "RVRB"),
    ("RVA", "RVAD"),
    ("SLT", "SYLT"),
    ("STC", "SYTC"),
    ("TAL", "TALB"),
    ("TBP", "TBPM"),
    ("TCM", "TCOM"),
    ("TCO", "TCON"),
    ("TCP", "TCMP"),
    ("TCR", "TCOP"),
    ("TCT", "TCAT"),
    ("TDA", "TDAT"),
    ("TDR", "TDRL"),
    ("TDS", "TDES"),
    ("TDY", "TDLY"),
    ("TEN", "TENC"),
    ("TFT", "TFLT"),
    ("TID", "TGID"),
    ("TIM", "TIME"),
    ("TKE", "TKEY"),
    ("TLA", "TLAN"),
    ("TLE", "TLEN"),
    ("TMT", "TMED"),
    ("TOA", "TOPE"),
    ("TOF", "TOFN"),
    ("TOL", "TOLY"),
    ("TOR", "TDOR"),
    ("TOT", "TOAL"),
    ("TP1", "TPE1"),
    ("TP2", "TPE2"),
    ("TP3", "TPE3"),
    ("TP4", "TPE4"),
    ("TPA", "TPOS"),
    ("TPB", "TPUB"),
    ("TRC", "TSRC"),
    ("TRD", "TRDA"),
    ("TRK", "TRCK"),
    ("TS2", "TSO2"),
    ("TSA", "TSOA"),
    ("TSC", "TSOC"),
    ("TSI", "TSIZ"),
    ("TSP", "TSOP"),
    ("TSS", "TSSE"),
    ("TST", "TSOT"),
    ("TT1", "TIT1"),
    ("TT2", "TIT2"),
    ("TT3", "TIT3"),
    ("TXT", "TEXT"),
    ("TXX", "TXXX"),
    ("TYE", "TYER"),
    ("UFI", "UFID"),
    ("ULT", "USLT"),
];
/// Links of version 2.2.
const LINKS: [(&str, &str); 8] = [
    ("WAF", "WOAF"),
    ("WAR", "WOAR"),
    ("WAS", "WOAS"),
    ("WCM", "WCOM"),
    ("WCP", "WCOP"),
    ("WFD", "WFED"),
    ("WPB", "WPUB"),
    ("WXX", "WXXX"),
];

/// Returns the identifier that a frame of version 2.2 has since.
pub(super) fn of_2(id: &str) -> Option<&'static str> {
    OF_2.iter().chain(&LINKS).find(|(old, _)| *old == id).map(|(_, new)| *new)
}

/// Returns the identifier that a frame of version 2.3 has in version 2.4, where other programs write it too.
pub(super) fn of_3(id: &str) -> &str {
    match id {
        "TORY" => "TDOR",
        "IPLS" => "TIPL",
        other => other,
    }
}
