#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>

#include "emulator/core/error.h"

/// What all plots share: the words of gnuplot, and the program itself.
namespace morgana::gnuplot {

/// Of parts and curves by their place: the same as on a page, --series-0 to 7 of report/web/style.css.
inline constexpr std::array colours{"#2f7fd1", "#d9622b", "#1c9a7a", "#7a4fbf",
                                    "#b58900", "#c2185b", "#4f6d7a", "#6b8e23"};

/// Of a part or a curve: what is drawn on pages, too, has its own colour there and here, whatever its place
/// (namedColours of report/web/figures.js); others one of `colours`.
std::string colour_of(std::string_view name, std::size_t place);

/// A gnuplot string: single quotes, in which only the quote itself is special.
std::string quoted(const std::string& text);
/// The terminal that draws `file`, chosen by its ending. @throws Error for another than .svg and .png
std::string terminal(const std::string& file, std::size_t width, std::size_t height = 480);
/// For before the work that ends in a plot. @throws Error if `file` has another ending or lies in a folder
/// that can't be written to
void check(const std::string& file);
/// Carries out a script that draws into the file named by gnuplot's variable `picture`, and puts what has
/// been drawn to where `file` says, as write_output does: whole or not at all. @throws Error if gnuplot is
/// missing or fails, if the picture does not fit on the disk, or for a folder that can't be written to
void run(const std::string& script, const std::string& file);

}  // namespace morgana::gnuplot
