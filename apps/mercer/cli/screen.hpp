#pragma once

#include <cstddef>
#include <string>
#include <vector>

/// What a person sees on standard error: lines that stay and, on a terminal, live lines below them (a bar, a table)
/// that are drawn anew in place. Live lines are erased before anything else is printed. Any thread may call.

/// Whether standard error is a terminal that knows how to move its cursor.
bool screen_is_live();

/// Whether to colour what is printed: on a terminal, unless the variable NO_COLOR is set (no-color.org).
bool screen_has_colour();

/// Columns of the terminal on standard error; 80 if it is not a terminal.
std::size_t terminal_width();

/// Prints text that stays. A failure to print (the stream is closed, the disk is full) is ignored.
void print_text(const std::string& text);

/// Draws live lines in the place of those before. Each is cut to the width of the terminal: a line that wraps could not
/// be erased. Nothing happens where standard error is not a terminal.
void show_live(std::vector<std::string> lines);
void erase_live();
