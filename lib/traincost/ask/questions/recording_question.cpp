#include "traincost/ask/questions/recording_question.hpp"

namespace traincost {

RecordingAnswer ask(const RecordingQuestion& question, const SheetNumbers& sheet) {
    RecordingAnswer answer{question.file, read_recording(question.file, sheet), 0};
    answer.picked = picked_step(answer.steps, question.iteration);
    return answer;
}

}  // namespace traincost
