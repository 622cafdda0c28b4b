// Decides whether a draft model is asked for one reply, by what it gained so far. A value type; driving thread only.
//
// Everything is counted in steps: the time of a step of the reply without a draft. A try costs the draft's own steps and the further rows
// of the step that checks it, and wins the tokens that were accepted. While tries gain, they go on. While they do not, they are paid from a
// small share of the reply's time, after gaps that double, so that a change of the text is noticed and a reply that no draft helps loses
// about that share.
#pragma once

#include <algorithm>

namespace minerva::engine {

class DraftGain {
 public:
  DraftGain() = default;
  // Of a new reply, when this is what earlier replies gained.
  static DraftGain after(const DraftGain& usual) {
    DraftGain gain;
    gain.m_mean = usual.m_mean;
    gain.m_tries = std::min(usual.m_tries, enough);
    if (usual.m_tries >= enough && !usual.pays()) gain.m_balance = 0;
    return gain;
  }

  // cost: of a try that nothing comes of. reading: of tokens that the draft model must read first, which later tries need not pay again.
  // more: tokens for which the reply is expected to go on.
  [[nodiscard]] bool mayTry(double cost, double reading, int more) const {
    if (isWaiting()) return false;
    return pays() ? reading <= std::max(m_balance, m_mean * more / 2) : cost + reading <= m_balance;
  }
  [[nodiscard]] bool pays() const { return m_tries >= enough && m_mean > worthwhile; }
  [[nodiscard]] bool isWaiting() const { return m_wait > 0; }

  // A step of the reply, with or without a try.
  void step() {
    m_wait = std::max(0, m_wait - 1);
    m_balance = std::min(mostBalance, m_balance + share);
  }
  // A try. That something else held the machine up is not what a draft costs.
  void learn(double measured) {
    const double gain = std::max(measured, -mostLoss);
    ++m_tries;
    m_mean += (gain - m_mean) / std::min(m_tries, memory);
    m_balance = std::min(mostBalance, m_balance + gain);
    if (gain > 0) {
      m_gap = std::max(leastGap, m_gap / 2);
    } else if (!pays()) {
      m_wait = m_gap;
      m_gap = std::min(mostGap, m_gap * 2);
    }
  }
  // Only reading for one.
  void read(double cost) { m_balance -= cost; }

 private:
  static constexpr int enough = 3, memory = 8;                              // tries
  static constexpr int leastGap = 4, mostGap = 128;                         // steps
  static constexpr double share = 0.01, worthwhile = 0.02;                  // of the reply's time
  static constexpr double firstBalance = 2, mostBalance = 4, mostLoss = 2;  // steps

  double m_mean = 0, m_balance = firstBalance;
  int m_tries = 0, m_wait = 0, m_gap = leastGap;
};

}  // namespace minerva::engine
