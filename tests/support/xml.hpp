// XML as far as a test must understand it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace traincost::test {

/// What is wrong with a document: tags that do not nest, attributes without quotes or given twice, bare & or
/// <, more than one root; empty where it is well-formed.
std::string xml_problem(std::string_view document);

/// The contents of every element called `name`, entities resolved.
std::vector<std::string> xml_texts(std::string_view document, std::string_view name);

}  // namespace traincost::test
