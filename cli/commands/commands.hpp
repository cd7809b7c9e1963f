// The commands, one function each: it adds the subcommand, its flags and its callback.
#pragma once

#include <cli/context.hpp>

namespace CLI {
class App;
}

namespace traincost::cli {

void add_achieved(CLI::App& app, Context& context);
void add_check(CLI::App& app, Context& context);
void add_completion(CLI::App& app, Context& context);
void add_compare(CLI::App& app, Context& context);
void add_days(CLI::App& app, Context& context);
void add_estimate(CLI::App& app, Context& context);
void add_explain(CLI::App& app, Context& context);
void add_export(CLI::App& app, Context& context);
void add_guide(CLI::App& app, Context& context);
void add_list(CLI::App& app, Context& context);
void add_loop(CLI::App& app, Context& context);
void add_manual(CLI::App& app, Context& context);
void add_merge(CLI::App& app, Context& context);
void add_method(CLI::App& app, Context& context);
void add_plan(CLI::App& app, Context& context);
void add_params(CLI::App& app, Context& context);
void add_read(CLI::App& app, Context& context);
void add_recommend(CLI::App& app, Context& context);
void add_scale(CLI::App& app, Context& context);
void add_serve(CLI::App& app, Context& context);
void add_show(CLI::App& app, Context& context);
void add_calibrate(CLI::App& app, Context& context);
void add_sweep(CLI::App& app, Context& context);
void add_timeline(CLI::App& app, Context& context);
void add_validate(CLI::App& app, Context& context);

}  // namespace traincost::cli
