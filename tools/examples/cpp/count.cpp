// Count the tokens of standard input: count MODEL.wwho < TEXT
// c++ -std=c++17 count.cpp $(pkg-config --cflags --libs wwho)
#include <wwho.h>

#include <cstddef>
#include <cstdint>
#include <fstream>
#include <iostream>
#include <iterator>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

// An artifact, opened. Threads may share it; each needs a Counter of its own.
class Model {
public:
    explicit Model(std::istream &file) : blob_(std::istreambuf_iterator<char>(file), {}) {
        if (blob_.empty()) throw std::runtime_error("the file is empty");
        std::size_t size = 0;
        require(wwho_workspace_size(bytes(), blob_.size(), &size));
        work_.resize(size / sizeof(std::max_align_t) + 1);
        require(wwho_open(bytes(), blob_.size(), work_.data(), size, &model_));
    }
    Model(const Model &) = delete;
    Model &operator=(const Model &) = delete;

    const wwho_model *get() const { return model_; }

    static void require(int status) {
        if (status != WWHO_OK) throw std::runtime_error(wwho_status_str(status));
    }

private:
    const std::uint8_t *bytes() const { return reinterpret_cast<const std::uint8_t *>(blob_.data()); }

    std::vector<char> blob_;
    std::vector<std::max_align_t> work_;
    const wwho_model *model_ = nullptr;
};

// Counts the tokens of texts, one after another; what it has seen before is quicker.
class Counter {
public:
    explicit Counter(const Model &model) : model_(model), scratch_len_(wwho_scratch_size(model.get())) {}

    std::size_t count(const std::string &text) {
        for (;; scratch_len_ *= 2) {  // hardly any text needs a larger scratch area
            scratch_.resize(scratch_len_ / sizeof(std::max_align_t) + 1);
            wwho_job job = {};
            job.scratch = scratch_.data();
            job.scratch_len = scratch_len_;
            job.cap = text.size() * 16 + 16;
            const auto *bytes = reinterpret_cast<const std::uint8_t *>(text.data());
            const int status = wwho_encode(model_.get(), bytes, text.size(), nullptr, &job);
            if (status == WWHO_BUFFER && job.n == 0) {
                scratch_.assign(scratch_.size(), {});
                continue;
            }
            Model::require(status);
            return job.n;
        }
    }

private:
    const Model &model_;
    std::size_t scratch_len_;
    std::vector<std::max_align_t> scratch_;
};

}  // namespace

int main(int argc, char **argv) {
    std::ifstream file(argc == 2 ? argv[1] : "", std::ios::binary);
    if (!file) {
        std::cerr << "usage: count MODEL.wwho < TEXT\n";
        return 2;
    }
    try {
        const Model model(file);
        const std::string text(std::istreambuf_iterator<char>(std::cin), {});
        std::cout << Counter(model).count(text) << "\n";
    } catch (const std::exception &error) {
        std::cerr << argv[1] << ": " << error.what() << "\n";
        return 1;
    }
}
