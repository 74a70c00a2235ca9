#pragma once

namespace morgana::modern_papers {

/// The queue of a port that long flows by DCTCP share, as in its paper's model: Alizadeh et al., "Data Center
/// TCP (DCTCP)", SIGCOMM 2010, section 3.3. The port has 10 Gb/s, the round trip takes 100 us, marks begin
/// above K = 40 segments of 1,500 B, alpha's gain is 1/16.
struct DctcpQueue {
  double least = 0, most = 0;  ///< segments that a segment found before it, from 50 ms to 150 ms
  double busy = 0;             ///< share of this time in which the port sent full segments
};

inline constexpr double marking_threshold = 40, segments_on_the_way = 100 / 1.2;

/// @param flows  at least 1
DctcpQueue dctcp_queue(unsigned flows);

/// Qmin = K + N - A, with the amplitude A = sqrt(2 N (C RTT + K)) / 2.
double least_queue_by_model(unsigned flows);

}  // namespace morgana::modern_papers
