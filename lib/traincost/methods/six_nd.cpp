#include "traincost/methods/six_nd.hpp"

namespace traincost {

Flops six_nd(double parameters, double tokens) {
    const double N = parameters;
    const double D = tokens;
    return Flops{6.0 * N * D};
}

Seconds six_nd_time(double parameters, double tokens, FlopRate together) {
    return six_nd(parameters, tokens) / together;
}

double six_nd_mfu(double parameters, double tokens_per_s, FlopRate peak) {
    return 6.0 * parameters * tokens_per_s / peak.value();
}

}  // namespace traincost
