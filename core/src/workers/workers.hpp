// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <kerntune/core/worker.hpp>

#include "process/channel.hpp"

namespace kerntune {

/// The loops of the worker processes: one request in, one answer out, until the supervisor closes the channel.
///
/// describe  {"op":"describe","path":P}  -> {"ok":true,"plugin":{...},"kernels":["spec json", ...]} |
/// {"ok":false,"message":M}
///           {"op":"devices"}            -> {"ok":true,"list":{...}}
void describe_worker(process::WorkerChannel& channel);

/// compile   first {"op":"hello"}                 -> {"nvrtc":"13.0","why_not":""}
///           then  {"op":"compile","id":I,"job":J} -> {"id":I,"ok":true,"module":M} + cubin |
///           {"id":I,"ok":false,"rejection":R}
/// A job may leave out what equals the previous one ("same_source").
void compile_worker(process::WorkerChannel& channel);

/// device    see device_worker.cpp
void device_worker(process::WorkerChannel& channel, DeviceOpener open);

}  // namespace kerntune
