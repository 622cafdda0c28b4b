#include "core/compare/measuring_text.h"

namespace minerva::compare {

std::string_view measuringText() {
  return R"(Once upon a time, there was a bear called Harry. Harry lived in a valley. One day, the well of the valley ran dry. Everyone
complained, but nobody did anything. Harry took his little book and started to walk. The way was long, and Harry grew tired.
Luckily, a kind baker knew the path and walked with him. At last Harry saw the morning sun above the clouds, and his heart
was full. A bird came and asked, "What are you looking for?" Harry said, "I am looking for water." The bird laughed and
showed him a hill where the grass was green. They stayed there until evening, and the whole valley danced.

"And what will you dream of?" the bird wanted to know.
"Of the river," said the bear, "and of a friend who knows where the sun is."

The library in the town opens at nine and closes at half past six. It holds 48,200 books, about a third of them for
children; in 2019 it lent 131,075 of them, 7 per cent more than in the year before. If you read 20 pages a day, a book of
300 pages takes you 15 days. Two readers who share it need at least 30, unless one of them is faster.

def mean(values):
    total = 0.0
    for value in values:
        total += value
    return total / len(values)

To make bread you need:
1. 500 g of flour
2. 350 ml of water
3. 10 g of salt
4. a little yeast and a lot of patience

Light takes a little more than eight minutes from the Sun to the Earth. What we see of the stars is therefore old news:
some of the light that reaches us tonight set out before there were cities, and the star it came from may be gone.
)";
}

}  // namespace minerva::compare
