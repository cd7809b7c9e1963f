#pragma once

#include <cstdint>
#include <string_view>

#include "traincost/cost/weights.hpp"

namespace traincost {

/// Appends tensors to a list; one call a tensor, so that a layer reads as its inventory.
class WeightInventory {
public:
    /// A projection rows × columns whose `parts` pieces tp divides.
    void projection(std::string_view name, Module module, Split split, std::int64_t rows,
                    std::int64_t columns, std::int64_t parts) {
        push({name, module, split, true, rows, columns, parts, 1, 1});
    }

    /// A vector or table that does not multiply activations.
    void lookup(std::string_view name, Module module, Split split, std::int64_t rows, std::int64_t columns,
                std::int64_t parts) {
        push({name, module, split, false, rows, columns, parts, 1, 1});
    }

    /// The weight and bias of `rows` norms of `width`; every rank keeps them whole.
    void norm(std::string_view name, Module module, std::int64_t rows, std::int64_t width, bool bias) {
        lookup(name, module, Split::replicated, rows * (bias ? 2 : 1), width, 1);
    }

    void push(const WeightTensor& tensor) {
        if (tensor.rows > 0 && tensor.columns > 0) {
            list_.items[list_.size++] = tensor;
        }
    }

    const WeightList& list() const {
        return list_;
    }

private:
    WeightList list_;
};

/// Appends what the model's recurrent mixer holds.
void push_recurrent_weights(WeightInventory& inventory, const ModelSpec& model);

}  // namespace traincost
