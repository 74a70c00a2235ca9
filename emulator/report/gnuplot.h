#pragma once

#include <array>
#include <string>

#include "emulator/core/error.h"

/// What all plots share: the words of gnuplot, and the program itself.
namespace morgana::gnuplot {

// Told apart also by those who don't see red and green as most do (P. Tol, Colour Schemes, 2021).
inline constexpr std::array colours{"#4477AA", "#EE6677", "#CCBB44", "#228833",
                                    "#66CCEE", "#AA3377", "#BBBBBB"};

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
