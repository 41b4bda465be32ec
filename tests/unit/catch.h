#pragma once
// Catch2 2.13 has one header, 3.x many: tests include this one. Only what both spell alike is used.
#if __has_include(<catch2/catch_all.hpp>)
#include <catch2/catch_all.hpp>
#else
#include <catch2/catch.hpp>
#endif
