// Marks what libhalyard.so offers to its users; everything else stays hidden.
#pragma once

#define HALYARD_API __attribute__((visibility("default")))
