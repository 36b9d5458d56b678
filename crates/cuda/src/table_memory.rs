//! The memory that holds tables of patterns: the memory of the host, where tables are made, or the memory of a device.

/// Memory that holds tables of patterns.
pub(super) trait TableMemory {
    /// A table of values.
    type Table<T>;
    /// The tables of a seed index.
    type Seeds;
    /// The traceback tables of a group of patterns. One launch of the traceback kernel traces the hits of the whole
    /// group.
    type Traces;
}

/// The memory of the host.
pub(super) struct HostMemory;

/// The memory of a device.
pub(super) struct DeviceMemory;
