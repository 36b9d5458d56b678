// A hit to trace.
#pragma once

#include "device.cuh"

// A hit to trace, 12 bytes.
struct Window {
    u32 first;    // 0: the first symbol that a match may cover: at most m + distance symbols before `end`, or where a
                  //    bound match starts
    u32 end;      // 4: the symbol just past the last one
    u32 pattern;  // 8
};
