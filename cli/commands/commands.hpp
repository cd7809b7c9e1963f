// The commands, one function each: it declares the flags, and what runs when they are set.
#pragma once

#include <cli/context.hpp>

#include <string_view>

namespace CLI {
class App;
}

namespace traincost::cli {

void add_achieved(CLI::App& command, Context& context);
void add_bench(CLI::App& command, Context& context);
void add_calibrate(CLI::App& command, Context& context);
void add_check(CLI::App& command, Context& context);
void add_compare(CLI::App& command, Context& context);
void add_completion(CLI::App& command, Context& context);
void add_days(CLI::App& command, Context& context);
void add_estimate(CLI::App& command, Context& context);
void add_explain(CLI::App& command, Context& context);
void add_guide(CLI::App& command, Context& context);
void add_launch(CLI::App& command, Context& context);
void add_list(CLI::App& command, Context& context);
void add_loop(CLI::App& command, Context& context);
void add_manual(CLI::App& command, Context& context);
void add_merge(CLI::App& command, Context& context);
void add_params(CLI::App& command, Context& context);
void add_plan(CLI::App& command, Context& context);
void add_read(CLI::App& command, Context& context);
void add_recommend(CLI::App& command, Context& context);
void add_scale(CLI::App& command, Context& context);
void add_serve(CLI::App& command, Context& context);
void add_sheet(CLI::App& command, Context& context);
void add_show(CLI::App& command, Context& context);
void add_sweep(CLI::App& command, Context& context);
void add_timeline(CLI::App& command, Context& context);
void add_validate(CLI::App& command, Context& context);

/// A published calculator.
void add_method(CLI::App& command, Context& context, std::string_view name);

}  // namespace traincost::cli
