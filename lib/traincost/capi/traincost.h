/* traincost for C, and for languages that can call C: one function that answers every question. */
#ifndef TRAINCOST_H
#define TRAINCOST_H

#ifdef __cplusplus
extern "C" {
#endif

/* The answer to a question, both JSON, UTF-8:
 *
 *   {"command": "estimate", "model": "llama-3.1-8b", "gpu": "h100", "gpus": 8, "seq": "8K",
 *    "micro-batch": 1, "global-batch": 64, "zero": 1}
 *
 * "command" is estimate, plan, recommend, sweep, compare, timeline, fields, read, explain, achieved, export, report,
 * sheet, scale, method, methods, params, days, list or show. Every job flag is a member, without its dashes: a number, a string as on the command line, or
 * true for a switch; null members count as not given. "job" is a job as in a job file, "files" are files of
 * any kind: names, or {"name": "train.sh", "text": "..."}. "data" is a folder of records that override the built-in
 * ones; "records" are such records at hand, {"name": "my-gpu.json", "text": "{\"schema\": \"accelerator/1\", ...}"}.
 *
 *   plan       "top", "allow-risky"
 *   recommend  the flags of the command; values to search as a list, a number or text: "tp": [1, 2, 4]
 *   sweep      "vary": ["tp=1,2,4"]
 *   timeline   "from", a recorded step instead of a job: {"name", "text"}, or {"name", "cells": {"E1": 8, ...}} of
 *              a workbook's sheet Output; "iteration": a number, "median" or "slowest";
 *              "lanes": true, for what each stage's lanes do: {"total_s", "spans"}
 *   compare    "jobs": [{"name": "a", ...}, ...]
 *   explain    "item": "memory.weights"; "operators": true, for the operators behind the number
 *   achieved   "step-time", "tokens-per-s", "tokens-per-s-per-gpu", "samples-per-s", or "log", a file
 *   export     "to", a format of 'export launch': {"files": [{"name", "text"}], "unsaid": [...]}
 *   report     {"html": "..."}: the estimate as a page
 *   sheet      {"sheets": [{"name", "widths", "cells"}]}: 'export sheet' as cells with formulas and their results
 *   fields     the settings of a job
 *   params     "model", "tp", "pp", "vp", "ep", "etp"
 *   days       "params", "tokens", "gpus", "gpu", "tflops", "mfu", "seq", "global-batch"
 *   list       "kind", "filter"
 *   show       "name", "kind"
 *   scale      "flops": the optimum by published laws
 *   method     "method", a published calculator, and its flags as members; "format": "table" for {"text": "..."} as
 *              the original prints it; without "method" the calculators and their fields
 *   methods    the job's work by published conventions, and the output of the original calculators
 *
 * The answer is what the command prints with --json; {"error": {"kind": "usage", "problems": [{"path": "--tp",
 * "message": "..."}]}} if there is no answer. Never null, unless memory is exhausted. Free it with
 * traincost_free. Safe to call from several threads. */
char* traincost_ask(const char* json);

/* Frees an answer; null is allowed. */
void traincost_free(char* answer);

/* "0.9.0"; not to be freed. */
const char* traincost_version(void);

#ifdef __cplusplus
}
#endif

#endif
