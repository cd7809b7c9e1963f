#include <cli/job_options.hpp>

namespace traincost::cli {

ResolvedJob resolve_job(const JobFlags& flags, const Catalogue& catalogue, Context& context,
                        const JobNeeds& needs) {
    const Sources sources(catalogue, context.data_folder, &context.in);
    traincost::ResolvedJob resolved = resolve(draft_of(flags, sources), sources, needs);
    return {std::move(resolved.job), std::move(resolved.operation), to_text(resolved.assumptions)};
}

}  // namespace traincost::cli
