#pragma once

#include <stop_token>

/// From now on Ctrl-C (or a polite kill) asks the running work to stop, and a second one ends the program at once. To
/// be called before any thread is started.
void catch_interrupts();

/// What long work should watch.
std::stop_token interrupt_token();
